/**
 * The inside of the caching allocator, in floors; each names only those beneath it.
 *
 * <pre>
 * caching     what a user touches
 * arena       one pool: the search for a block through all that is beneath
 * cache       free blocks near at hand, by thread and by stream
 * heap        free ranges of the device, split, merged, grown, given back
 * stream      calls under way
 * leak        handles that nobody closes
 * history     the latest events, encoded    event    who hears what is done with memory
 * stats       what is reserved and live     option   settings, and the sizes that follow from them
 * </pre>
 *
 * <h2>Two tiers</h2>
 *
 * A free block lies in one of two places, nearest first:
 *
 * <ol>
 *   <li>{@code ThreadCache}: of one stream and one stripe of threads. Small blocks by size class.
 *       Nearly always one thread's own, found by thread and stream in {@code StreamCaches}.
 *   <li>{@code Heap}: of the pool. Here alone blocks are split and merged, and here memory is taken
 *       from the driver, through a {@code MemorySource}.
 * </ol>
 *
 * A block is closed into the first tier. A thread cache that is too full gives half of its blocks
 * to the heap. When the heap finds nothing, the thread caches that hold blocks are emptied into it
 * before any memory is taken.
 *
 * <h2>Stream order</h2>
 *
 * A block that only its own stream used is reused on that stream at once: the stream's order is
 * enough, and no event is recorded. {@code StreamProgress} tells when other streams may have it. A
 * block that other streams used waits in {@code PendingBlocks} until these have passed the point of
 * its free.
 *
 * <h2>Private pools</h2>
 *
 * A private pool is an arena once more: own tiers, own segments. It shares with its allocator the
 * events, the growth lock and the totals of what is reserved and live, so that limits, peaks and
 * statistics count over all pools. Which threads use one is looked up only while some thread does:
 * {@code ThreadScopes}.
 *
 * <h2>Locks and memory modes</h2>
 *
 * What each lock guards, and their order, is a table of docs/architecture.md. A hit takes the lock
 * of its thread cache alone, and so does its close. No lock under which the driver is called is
 * taken by a hit.
 *
 * <p>The handle's block is taken out under the lock of the block's thread cache, which decides who
 * closed it. All fields of a block are plain: they belong to whoever owns it, and ownership passes
 * through a lock. What is linked in caches is linked by number: see {@code Block.Table}.
 */
@NullMarked
package org.vramkit.pool.caching.internal;

import org.jspecify.annotations.NullMarked;
