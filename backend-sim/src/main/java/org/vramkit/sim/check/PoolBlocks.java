package org.vramkit.sim.check;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.check.Owners.BlockMap;
import org.vramkit.sim.hazard.AccessKind;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.hazard.Leak;
import org.vramkit.sim.hazard.LeakKind;

/**
 * Checks what pools report about their blocks. An allocation is a virtual write on the allocating
 * stream; a free is a virtual access of the freeing stream and of every recorded one. So early
 * reuse and missing recorded uses are races of these accesses. Guarded by the backend's lock.
 */
public final class PoolBlocks extends MemoryRules {
  PoolBlocks(MemoryRules shared) {
    super(shared);
  }

  /** Adds a block that a pool allocated; the tag is empty for none. */
  public void allocated(int device, long start, long bytes, StreamClock stream, String tag) {
    if (!enabled) {
      return;
    }
    long end = start + bytes;
    Operation allocation = operations.point("pool allocate", AccessKind.ALLOCATE, stream);
    OwnedBlock block =
        OwnedBlock.inStreamOrder(
            owners.nextId(), OwnedBlock.BLOCK, tag, device, start, bytes, allocation);
    BlockMap pool = owners.pools.innermost(start, end);
    OwnedBlock other = reportOverlap(pool, block);
    comeAfterSegment(pool, block, allocation);
    Conflict conflict = history.pending(hosts.forPools(stream), start, end);
    if (conflict != null) {
      // A race with the first owner's work would repeat the report of the overlap.
      if (other == null) {
        earlyReuse(pool, block, conflict, allocation);
      }
      // Assumed from now on, so that one fault gives one report.
      conflict.operation().comeBefore(stream);
    }
    boolean checked = conflict == null && !stream.followsOthers();
    if (checked || history.pending(hosts.forPoolsNow(stream), start, end) == null) {
      block.setPendingUses(enterAllocation(allocation, conflict, start, end));
    } else {
      // Only the stream's next operation follows the work of other streams, and a third stream
      // may use the block before it. So the allocation is entered beside that work.
      history.read(allocation, start, end);
    }
    pool.add(block);
    unwritten.allocated(block);
  }

  /**
   * Adds page-locked memory that a pool allocated, which belongs to no stream.
   *
   * @param captured whether the calling thread captures, so that the memory is for a graph
   */
  public void allocatedOnHost(int device, long start, long bytes, boolean captured) {
    if (!enabled) {
      return;
    }
    long end = start + bytes;
    Operation allocation = operations.hostPoint("pool allocate", AccessKind.ALLOCATE);
    OwnedBlock block =
        OwnedBlock.onHost(owners.nextId(), device, start, bytes, allocation, captured);
    OwnedBlock other = reportOverlap(owners.pools, block);
    Conflict conflict = history.pending(hosts.allAndPools(), start, end);
    if (conflict != null && other == null) {
      earlyReuse(owners.pools, block, conflict, allocation);
    }
    // The new owner comes after the earlier work, on any thread.
    history.forget(start, end);
    owners.pools.add(block);
  }

  /** Checks that a block comes after the allocation of its segment by another pool. */
  private void comeAfterSegment(BlockMap pool, OwnedBlock block, Operation allocation) {
    BlockMap outer = pool.outer;
    OwnedBlock segment = outer == null ? null : outer.liveContaining(block.start);
    if (segment == null || segment.allocated.isBefore(hosts.forPools(allocation.stream))) {
      return;
    }
    reports
        .find(HazardCode.USE_BEFORE_ALLOC)
        .in(segment)
        .earlier(segment.allocated, AccessKind.ALLOCATE, segment.start, segment.end)
        .later(allocation, AccessKind.ALLOCATE, block.start, block.end)
        .unordered(segment.allocated, allocation)
        .report(
            "make the pool wait for the stream on which it allocated the segment,"
                + " before it allocates a block of the segment on another stream");
    segment.allocated.comeBefore(allocation.stream);
  }

  private void earlyReuse(
      BlockMap pool, OwnedBlock block, Conflict conflict, Operation allocation) {
    reports
        .find(HazardCode.EARLY_REUSE)
        .in(block)
        .after(pool.freed.overlapping(conflict.start(), conflict.end()))
        .between(conflict, allocation, AccessKind.ALLOCATE, block.start, block.end)
        .report(
            (isOfBlocksDevice(conflict.operation(), block)
                    ? "record the use of the other stream before closing"
                    : "make the block's stream wait for the other one before closing")
                + ", or have the pool wait for it");
  }

  /** Returns whether a use can be recorded: only streams of the block's device can. */
  private static boolean isOfBlocksDevice(Operation use, OwnedBlock block) {
    return use.device() == block.device;
  }

  /** Notes that a pool is about to unmap the memory of live blocks, which keep their addresses. */
  public void suspended(long start, long bytes) {
    if (enabled) {
      owners.pools.suspend(start, start + bytes);
    }
  }

  public void used(long start, StreamClock stream) {
    if (!enabled) {
      return;
    }
    // The blocks of the innermost pool first; its user may also be that of the block that it
    // divides.
    for (BlockMap pool = owners.poolAt(start); pool != null; pool = pool.outer) {
      OwnedBlock block = pool.liveAt(start);
      if (block != null) {
        if (!block.users.contains(stream)) {
          block.users.add(stream);
        }
        return;
      }
      OwnedBlock freed = pool.freed.at(start);
      if (freed != null) {
        recordedAfter(freed, start, stream);
        return;
      }
    }
  }

  private void recordedAfter(OwnedBlock freed, long start, StreamClock stream) {
    Operation use = operations.point("record use", AccessKind.RECORD, stream);
    reports
        .find(HazardCode.RECORD_AFTER_FREE)
        .inFreed(freed)
        .later(use, AccessKind.RECORD, start, freed.end)
        .missing("the memory was freed before the use was recorded")
        .report("record the use before closing");
  }

  public void freed(long start, StreamClock stream) {
    if (!enabled) {
      return;
    }
    Operation free = operations.point("pool free", AccessKind.FREE, stream);
    BlockMap pool = owners.poolOf(start, stream);
    OwnedBlock block = pool.liveAt(start);
    if (block == null) {
      invalidFree(pool, start, free);
      return;
    }
    if (block.captured) {
      // The graph continues to use the block: later work is ordered with the launches, not with
      // this free.
      pool.free(block, free);
      return;
    }
    checkUses(block, free, hosts.forCaller(stream));
    enterUses(block, stream);
    // Entered as a read, because a write would hide unrecorded accesses. A new owner has to come
    // after reads as well.
    history.read(free, start, block.end);
    unwritten.written(start, block.end);
    pool.free(block, free);
  }

  /**
   * Checks the uses of a block at its close. From then on the pool may give the memory to any
   * stream that comes after the block's own stream and the recorded ones. So each use must come
   * before the close on one of these streams, or be known to be done. Each stream gives one report,
   * and its uses then count as recorded.
   */
  private void checkUses(OwnedBlock block, Operation close, Order point) {
    Order recorded = recordedUses(block, point);
    Conflict use = history.use(recorded, block.start, block.end);
    while (use != null) {
      reportUnrecorded(block, use, close);
      history.settle(use.operation().stream, block.start, block.end);
      use = history.use(recorded, block.start, block.end);
    }
  }

  private Order recordedUses(OwnedBlock block, Order point) {
    Order recorded = point;
    for (StreamClock user : block.users) {
      recorded = Order.either(recorded, hosts.forCaller(user));
    }
    return recorded;
  }

  private void reportUnrecorded(OwnedBlock block, Conflict use, Operation close) {
    Operation missed = use.operation();
    String user = missed.stream.name;
    reports
        .find(HazardCode.EARLY_REUSE)
        .in(block)
        .between(use, close, AccessKind.FREE, block.start, block.end)
        .missing(user + " used it (operation " + missed.index() + "), not recorded")
        .report(
            (isOfBlocksDevice(missed, block)
                    ? "record the use by recordUse before closing it, or close it after "
                    : "close it after ")
                + (block.virtualWrite == null ? "the host" : block.allocated.stream.name)
                + " waits for that work");
  }

  /** Enters a virtual read of each recorded stream, at the stream's latest operation. */
  private void enterUses(OwnedBlock block, @Nullable StreamClock owner) {
    for (StreamClock user : block.users) {
      if (user != owner) {
        Operation use = operations.point("recorded use", AccessKind.RECORD, user);
        history.read(use, block.start, block.end);
      }
    }
  }

  public void freedOnHost(long start) {
    if (!enabled) {
      return;
    }
    Operation free = operations.hostPoint("pool free", AccessKind.FREE);
    OwnedBlock block = owners.pools.liveAt(start);
    if (block == null) {
      invalidFree(owners.pools, start, free);
      return;
    }
    if (!block.captured) {
      checkUses(block, free, hosts.allOfCaller());
      enterUses(block, null);
    }
    owners.pools.free(block, free);
  }

  private void invalidFree(BlockMap pool, long start, Operation free) {
    OwnedBlock freed = pool.freed.at(start);
    if (freed != null) {
      reports
          .find(HazardCode.DOUBLE_FREE)
          .inFreed(freed)
          .later(free, AccessKind.FREE, start, freed.end)
          .missing("it was freed before")
          .report("free each block once");
    }
    OwnedBlock containing = pool.liveContaining(start);
    if (containing != null) {
      reports
          .find(HazardCode.INVALID_FREE)
          .in(containing)
          .later(free, AccessKind.FREE, start, start)
          .missing("the address lies inside the block")
          .report("free a block by the address of its allocation");
    }
  }

  /** Notes that a pool divides a range, which may be a block of another pool. */
  public void segmentAdded(long start, long bytes) {
    owners.pools.innermost(start, start + bytes).addSegment(start, start + bytes);
  }

  /** Notes that a pool is about to return the segment at an address. */
  public void segmentRemoved(long start) {
    owners.pools.removeSegment(start);
  }

  /** Returns the live blocks by address, those of nested pools first. */
  public List<Leak> getLive() {
    return owners.pools.allLive().map(PoolBlocks::toLeak).toList();
  }

  /** Returns the most live bytes that pools had on a device. */
  public long getMostBytes(int device) {
    return owners.pools.getMostBytes(device);
  }

  /** Returns the blocks that were live when pools had most bytes on a device. */
  public List<Leak> getBlocksAtMost(int device) {
    return owners.pools.getBlocksAtMost(device).stream().map(PoolBlocks::toLeak).toList();
  }

  /** Returns the live block that begins at an address; null if there is none. */
  public @Nullable Leak find(long start) {
    OwnedBlock block = owners.poolAt(start).liveAt(start);
    return block == null ? null : toLeak(block);
  }

  private static Leak toLeak(OwnedBlock block) {
    return toLeak(LivePeaks.Held.of(block));
  }

  private static Leak toLeak(LivePeaks.Held block) {
    return new Leak(
        LeakKind.BLOCK,
        block.device(),
        block.start(),
        block.tag(),
        block.end() - block.start(),
        block.allocated().toAccess(AccessKind.ALLOCATE, block.start(), block.end()).stack(),
        false);
  }
}
