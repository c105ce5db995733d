/**
 * Recorded programs replayed on a device at the pace at which they ran, and as fast as possible:
 * what a user feels of an allocator.
 */
@NullMarked
package org.vramkit.bench.paced;

import org.jspecify.annotations.NullMarked;
