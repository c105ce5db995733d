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
 * <h2>Two tiers</h2>
 *
 * A free block lies in one of two tiers:
 *
 * <ol>
 *   <li>{@code ThreadCache}: small blocks by size class, of a stream and a stripe of threads.
 *       Nearly always used by one thread, which finds it in {@code StreamCaches}.
 *   <li>{@code Heap}: one for each pool. Only the heap splits and merges blocks, and takes memory
 *       from the driver, through a {@code MemorySource}.
 * </ol>
 *
 * A closed block goes to the first tier. A full thread cache returns half of its bytes to the heap.
 * If the heap finds no block, the thread caches are emptied into it before memory is taken from the
 * driver.
 *
 * <h2>Stream order</h2>
 *
 * A block that only its own stream used is reused on that stream at once, in stream order and
 * without an event. {@code StreamProgress} determines when other streams may use it. A block that
 * other streams used waits in {@code PendingBlocks} until these have passed the point of its free.
 *
 * <h2>Private pools</h2>
 *
 * A private pool is an arena with its own tiers and segments. It shares the driver events, the
 * growth lock and the totals of reserved and live memory with its allocator, so that limits, peaks
 * and statistics count over all pools. {@code ThreadScopes} is read only while a thread has a scope
 * open.
 *
 * <h2>Locks and memory modes</h2>
 *
 * The table in docs/architecture.md lists what each lock guards, and their order. A hit and its
 * close take only the lock of their thread cache. A hit never takes a lock under which the driver
 * is called.
 *
 * <p>A handle is closed under the lock of its block's thread cache, which decides which thread
 * closed it. The fields of a block are plain: they belong to its owner, and ownership passes
 * through a lock. Blocks in caches are linked by number; see {@code Block.Table}.
 */
@NullMarked
package org.vramkit.pool.caching.internal;

import org.jspecify.annotations.NullMarked;
