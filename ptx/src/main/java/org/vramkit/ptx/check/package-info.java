/** Order and races of accesses within a launch. */
@NullMarked
package org.vramkit.ptx.check;

import org.jspecify.annotations.NullMarked;
