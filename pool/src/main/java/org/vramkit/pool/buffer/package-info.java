/** Typed buffers of several devices, kept by element type and rounded count. */
@NullMarked
package org.vramkit.pool.buffer;

import org.jspecify.annotations.NullMarked;
