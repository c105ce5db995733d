/** Translation of functions into decoded instructions. */
@NullMarked
package org.vramkit.ptx.code;

import org.jspecify.annotations.NullMarked;
