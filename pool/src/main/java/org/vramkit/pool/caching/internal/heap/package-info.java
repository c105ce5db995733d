/** The heap of a pool: blocks, regions and chunks, and their growth, moves and release. */
@NullMarked
package org.vramkit.pool.caching.internal.heap;

import org.jspecify.annotations.NullMarked;
