/** Number formats, roundings and approximate functions of the GPU. */
@NullMarked
package org.vramkit.ptx.number;

import org.jspecify.annotations.NullMarked;
