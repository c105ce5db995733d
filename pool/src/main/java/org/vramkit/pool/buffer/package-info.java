/** A pool of typed buffers of several devices, cached by element type and rounded count. */
@NullMarked
package org.vramkit.pool.buffer;

import org.jspecify.annotations.NullMarked;
