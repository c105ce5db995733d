package org.vramkit.pool.caching;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.MemoryObserver;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.DriverStatus;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.support.Streams;

/**
 * Memory of one device, kept and handed out again instead of going back to the driver. Safe for any
 * thread; allocations may be closed by any thread.
 */
/*
 * How it works
 * ============
 *
 * Three tiers
 * -----------
 * A free block lies in one of three places, nearest first:
 *
 *   1. CacheStripe: per (stream, stripe of threads). Small blocks by size class. Nearly always one
 *      thread's own, found by thread and stream in StripeTable.
 *   2. StreamHeap: per stream, shared by all threads, blocks of any size. One lock per stream.
 *   3. BlockHeap: per device. Here alone blocks are split and merged, and here memory is taken from
 *      the driver: PageHeap over virtual memory, SegmentHeap over plain allocation.
 *
 * A block is closed into the first tier; what overflows a tier moves to the next in one piece, half
 * of the tier at a time (an eighth of a first tier that has earned more room). When the third tier
 * finds nothing, all caches of all streams are emptied into it before any memory is taken: caches
 * cost time to fill, not memory. Only a program that searches most of the time may pay for larger
 * ones with memory: see CacheCredit.
 *
 * Stream order
 * ------------
 * A block that only its own stream used is reused on that stream at once: the stream's order is
 * enough, and no event is recorded. Frontier tells when other streams may have it. A block that
 * other streams used waits in PendingFrees until these have passed the point of its free.
 *
 * Locks
 * -----
 *   CacheStripe    its blocks, its books, who closed a handle   leaf but for numbers
 *   StreamHeap     the shared cache of one stream               leaf but for numbers
 *   BlockHeap.lock blocks' links, free indexes, page maps       leaf but for numbers
 *   BlockNumbers   which numbers are given                      leaf
 *   PendingFrees   queues of events         calls the driver    leaf
 *   Frontier       marks of one stream      calls the driver    leaf
 *   CacheCredit    what the caches may cost                     before CacheStripe
 *   BlockHeap.growth                        calls the driver    before BlockHeap.lock
 *   retirement     forgetting closed streams; only ever tried   before all others
 *
 * A hit takes the first alone, and so does its close; or the first and the second one after the
 * other. No lock under which the driver is called is taken by a hit.
 *
 * Memory modes
 * ------------
 * The handle's block is taken out under the lock of the block's stripe, which decides who closed
 * it. All fields of a block are plain: they belong to whoever owns it, and ownership passes through
 * a lock. What is linked in caches is linked by number: see BlockNumbers.
 */
public final class CachingAllocator implements Allocator {
  /** How far a stripe may claim live bytes ahead: see {@link LiveBooks}. */
  private static final long CLAIM_BYTES = 4 * ByteSize.MIB;

  /** Stripes per processor, so that two busy threads rarely meet in one. */
  private static final int STRIPES_PER_PROCESSOR = 2;

  private static final int MAX_STRIPES = 64;

  private final Device device;
  private final MemoryObserver observer;
  private final SizeRules rules;
  private final StreamHeaps heaps;
  private final StripeTable stripes = new StripeTable();
  private final BlockHeap heap;
  private final PendingFrees pending;
  private final EventPool events;
  private final LiveGauge gauge;
  private final CacheCredit credit;
  private final MemorySearch search;
  private final StatisticsReader statistics;
  private final OutOfMemoryReporter reporter;
  private final boolean preemptiveRejection;
  private final ReentrantLock retirement = new ReentrantLock();
  private volatile double memoryFraction;
  private volatile long limit;
  private volatile boolean closed;

  CachingAllocator(Device device, boolean pages, CachingAllocatorOptions options) {
    this.device = device;
    this.observer = device.getMemoryObserver();
    this.rules = new SizeRules(options.roundingDivisions());
    this.events = new EventPool(device);
    this.gauge = new LiveGauge(options.exactPeaks() ? 0 : CLAIM_BYTES);
    this.pending = new PendingFrees(events, gauge);
    this.memoryFraction = options.memoryFraction();
    this.limit = options.limitBytes();
    this.preemptiveRejection = options.preemptiveRejection();
    MemoryBooks books = new MemoryBooks(effectiveLimit());
    this.credit = new CacheCredit(options.cacheShare(), books, gauge::allocatedBytes);
    BlockNumbers numbers = new BlockNumbers();
    this.heap =
        pages
            ? new PageHeap(device, books, numbers)
            : new SegmentHeap(device, options, books, numbers);
    int processors = Runtime.getRuntime().availableProcessors() * STRIPES_PER_PROCESSOR;
    int stripeCount = Math.min(MAX_STRIPES, Integer.highestOneBit(2 * processors - 1));
    // In a segment a block that lies aside is a hole; over pages it is flushed out where it
    // matters.
    long largestFront = pages ? options.streamCacheBytes() : 0;
    this.heaps =
        new StreamHeaps(
            stream ->
                new StreamHeap(
                    ours(stream),
                    this,
                    options,
                    credit,
                    gauge,
                    events,
                    numbers,
                    largestFront,
                    stripeCount));
    this.statistics = new StatisticsReader(heaps, heap, pending, gauge);
    this.reporter = new OutOfMemoryReporter(device, heap, pending, statistics);
    this.search = new MemorySearch(heaps, heap, pending, events, credit, options, reporter);
  }

  /** Settings for an allocator of this device's memory. */
  public static CachingAllocatorBuilder builder(Device device) {
    return new CachingAllocatorBuilder(device);
  }

  /** An allocator with the default settings. */
  public static CachingAllocator create(Device device) {
    return builder(device).build();
  }

  @Override
  public Device getDevice() {
    return device;
  }

  @Override
  public Allocation allocate(long bytes, Stream stream) {
    return allocate(bytes, stream, "");
  }

  // ---- the hot path ----

  Allocation allocate(long bytes, Stream stream, String tag) {
    if (bytes <= 0 || bytes > SizeRules.MAX_REQUEST || closed) {
      return allocateUnusual(bytes, stream);
    }
    long size = rules.round(bytes);
    CacheStripe stripe = stripes.find(stream);
    Block block = stripe == null ? null : stripe.tryTake(size, bytes);
    if (block == null) {
      block = allocateFar(stream, size, bytes);
    }
    block.tag(tag);
    observer.allocated(block.address, bytes, stream, tag);
    return new CachingAllocation(block, bytes);
  }

  // The way of a close: CachingAllocation.close, CacheStripe.close.

  // ---- beside it ----

  /** Takes back a block whose handle was closed, where somebody listens or other streams use it. */
  void free(Block block) {
    StreamHeap owner = block.owner();
    observer.freed(block.address, owner.stream);
    if (block.isUsedElsewhere()) {
      freeLater(block, owner);
    } else {
      owner.give(block);
    }
  }

  /** Takes blocks that no cache has room for, linked by {@code nextCached}. */
  void takeBack(Block first) {
    heap.free(first);
  }

  private Allocation allocateUnusual(long bytes, Stream stream) {
    if (closed) {
      throw new ClosedException("allocator of device " + device.getOrdinal() + " is closed");
    }
    if (bytes < 0) {
      throw new InvalidArgumentException("cannot allocate " + bytes + " bytes: negative");
    }
    if (bytes > SizeRules.MAX_REQUEST) {
      heap.books.outOfMemories.increment();
      throw new DeviceOutOfMemoryException(
          "cannot allocate " + bytes + " bytes: above 1 EiB only an overflow can be meant",
          bytes,
          DriverStatus.NONE,
          null);
    }
    return new EmptyAllocation(ours(stream));
  }

  private Block allocateFar(Stream stream, long size, long bytes) {
    StreamHeap known = heaps.of(stream);
    if (known.stream == stream) {
      stripes.remember(known.ownStripe());
    }
    Block near = known.takeNear(size, bytes);
    if (near != null) {
      return near;
    }
    StreamHeap owner = heaps.renew(known, stream);
    if (preemptiveRejection && size > heap.books.limit()) {
      heap.books.rejections.increment();
      heap.books.outOfMemories.increment();
      throw reporter.exception(
          reporter.report(owner, bytes, size, List.of("rejected by the limit")), null);
    }
    if (heaps.isCrowded()) {
      retireClosedStreams();
    }
    return search.find(owner, size, bytes);
  }

  /** A program may make a stream for every task: what is known of closed ones must not pile up. */
  private void retireClosedStreams() {
    if (!retirement.tryLock()) {
      return;
    }
    try {
      retire();
    } finally {
      retirement.unlock();
    }
  }

  private void retire() {
    List<StreamHeap> retired = new ArrayList<>();
    for (StreamHeap each : heaps.all()) {
      if (each.stream.isClosed() && statistics.holdsNothing(each)) {
        each.flush(heap);
        heap.settle(List.of(each));
        if (!heap.hasUnsettled(each)) {
          each.frontier.close();
          retired.add(each);
        }
      }
    }
    statistics.retire(retired);
    heaps.forget(retired);
    stripes.clear();
  }

  private void freeLater(Block block, StreamHeap owner) {
    block.epoch = owner.frontier.epoch();
    owner.discharge(block);
    pending.add(block, block.takeUses());
  }

  private Stream ours(Stream stream) {
    if (!stream.getDevice().equals(device)) {
      throw new InvalidArgumentException(
          "stream 0x"
              + Long.toHexString(stream.getHandle())
              + " belongs to device "
              + stream.getDevice().getOrdinal()
              + ", the allocator to device "
              + device.getOrdinal());
    }
    return stream;
  }

  void recordUse(Block block, Stream stream) {
    ours(stream);
    if (!Streams.areSame(stream, block.owner().stream)) {
      block.addUse(stream);
      observer.used(block.address, stream);
    }
  }

  /**
   * Records a use by any address inside a live allocation, for callers that have no handle. Walks
   * the blocks: use {@link Allocation#recordUse} where speed matters.
   *
   * @param address first byte or any other of a live allocation
   * @param stream who uses it
   * @return false if no live allocation holds that address
   */
  public boolean recordUse(long address, Stream stream) {
    Block found = null;
    heap.lock.lock();
    try {
      for (Segment segment : heap.segments()) {
        if (address >= segment.address && address < segment.address + segment.size) {
          for (Block block = segment.first; block != null; block = block.next) {
            if (address >= block.address && address < block.end()) {
              found = block;
            }
          }
        }
      }
    } finally {
      heap.lock.unlock();
    }
    if (found == null || found.state() != Block.State.LIVE) {
      return false;
    }
    recordUse(found, stream);
    return true;
  }

  /**
   * The same allocator under a name: what is allocated through it is listed under the tag in
   * snapshots and out-of-memory reports. Closing it does nothing.
   *
   * @param tag for people, such as {@code weights}
   */
  public Allocator tagged(String tag) {
    return new TaggedAllocator(this, tag);
  }

  /** The limit in bytes that was set; {@link Long#MAX_VALUE} for none. */
  public long getLimit() {
    return limit;
  }

  /**
   * Changes the limit. What is reserved beyond it stays until it is trimmed.
   *
   * @param bytes not negative
   */
  public void setLimit(long bytes) {
    if (bytes < 0) {
      throw new InvalidArgumentException("limit must not be negative: " + bytes);
    }
    limit = bytes;
    heap.books.limit(effectiveLimit());
  }

  /** The share of the device's memory that may be reserved, as it was set. */
  public double getMemoryFraction() {
    return memoryFraction;
  }

  /**
   * Changes that share.
   *
   * @param fraction from 0 to 1
   */
  public void setMemoryFraction(double fraction) {
    if (!(fraction >= 0 && fraction <= 1)) {
      throw new InvalidArgumentException("memory fraction must be from 0 to 1, not " + fraction);
    }
    memoryFraction = fraction;
    heap.books.limit(effectiveLimit());
  }

  private long effectiveLimit() {
    double fraction = memoryFraction;
    long share =
        fraction == 1
            ? Long.MAX_VALUE
            : (long) (fraction * device.getProperties().totalMemoryBytes());
    return Math.min(limit, share);
  }

  /** Gives all free memory back to the driver: {@code trim(0)}. */
  public void emptyCache() {
    trim(0);
  }

  /**
   * Gives free memory back to the driver until at most so much is reserved. If that is not reached
   * with what is known to be free, waits for closed allocations that other streams still use, and
   * once for each stream whose frees are not passed yet.
   */
  @Override
  public void trim(long keepBytes) {
    if (keepBytes < 0) {
      throw new InvalidArgumentException("cannot keep " + keepBytes + " bytes: negative");
    }
    credit.forfeit();
    search.poll();
    search.flush();
    heap.settle(heaps.all());
    heap.release(keepBytes);
    if (heap.books.reserved() > keepBytes) {
      awaitPending(keepBytes);
      heap.settle(heaps.all());
      for (StreamHeap each : heaps.all()) {
        if (heap.hasUnsettled(each)) {
          heap.await(each);
        }
      }
      heap.release(keepBytes);
    }
  }

  /** Waits for closed allocations that other streams use, as many as need be. */
  private void awaitPending(long keepBytes) {
    while (heap.books.reserved() > keepBytes && pending.awaitCheapest(0)) {
      heap.books.synchronizations.increment();
      search.poll();
      heap.release(keepBytes);
    }
  }

  @Override
  public AllocatorStatistics getStatistics() {
    return statistics.read();
  }

  /** Every segment and block; exact at a quiet moment. */
  public AllocatorSnapshot getSnapshot() {
    return SnapshotTaker.take(heap);
  }

  @Override
  public void resetPeaks() {
    for (StreamHeap each : heaps.all()) {
      each.eachStripe(stripe -> stripe.books.settle());
    }
    gauge.resetPeaks();
    heap.growth.lock();
    try {
      heap.books.resetPeaks();
    } finally {
      heap.growth.unlock();
    }
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    long live = statistics.liveCount();
    if (live != 0) {
      throw new IllegalStateException(
          "cannot close: "
              + live
              + " allocations of "
              + ByteSize.format(statistics.liveBytes())
              + " are still open; close them first");
    }
    closed = true;
    trim(0);
    while (pending.awaitCheapest(0)) {
      search.poll();
    }
    trim(0);
    heap.close();
    heaps.all().forEach(each -> each.frontier.close());
    events.close();
  }

  @Override
  public String toString() {
    return "caching allocator of device " + device.getOrdinal();
  }
}
