/**
 * One pool of an allocator: the search for a block, recovery from out of memory, decay, trims,
 * suspension, statistics and snapshots.
 */
@NullMarked
package org.vramkit.pool.caching.internal.arena;

import org.jspecify.annotations.NullMarked;
