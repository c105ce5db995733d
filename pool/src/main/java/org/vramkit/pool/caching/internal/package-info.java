/**
 * The implementation of the caching allocator, in layers. Each layer depends only on those below
 * it.
 *
 * <pre>
 * caching     the public API
 * arena       a pool: the search for a block, and recovery
 * leak        detection of handles that are never closed
 * cache       caches of free blocks, by thread and by stream
 * heap        blocks, regions and chunks, and their growth, moves and release
 * history     the latest events
 * stats       reserved and live memory
 * event       observer of growth, trims and waits
 * option      settings, and the computation of sizes
 * </pre>
 *
 * <p>{@code flight}, with flight recorder events and JMX beans, stands beside {@code arena} and
 * depends only on {@code event}.
 *
 * <p>docs/internals.md describes how they work together, and docs/architecture.md lists what each
 * lock guards, and their order.
 */
@NullMarked
package org.vramkit.pool.caching.internal;

import org.jspecify.annotations.NullMarked;
