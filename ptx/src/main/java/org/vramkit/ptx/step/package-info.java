/** The decoded instructions. */
@NullMarked
package org.vramkit.ptx.step;

import org.jspecify.annotations.NullMarked;
