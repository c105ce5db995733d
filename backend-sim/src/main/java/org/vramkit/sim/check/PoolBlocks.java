package org.vramkit.sim.check;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.hazard.AccessKind;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.hazard.Leak;
import org.vramkit.sim.hazard.LeakKind;

/**
 * Judges what pools tell of their blocks. Allocating is a virtual write on the allocating stream,
 * freeing a virtual access of the freeing stream and of every recorded one; so early reuse and a
 * missing recorded use are races of these. Guarded by the backend's lock.
 */
public final class PoolBlocks extends MemoryRules {
  PoolBlocks(MemoryRules shared) {
    super(shared);
  }

  /** A pool handed out a block; the tag is empty for none. */
  public void handedOut(int device, long start, long bytes, StreamClock stream, String tag) {
    if (!enabled) {
      return;
    }
    long end = start + bytes;
    Operation allocation = operations.point("pool allocate", AccessKind.ALLOCATE, stream);
    OwnedBlock block =
        OwnedBlock.inStreamOrder(owners.nextId(), "block", tag, device, start, bytes, allocation);
    Ownership pool = owners.pools.innermost(start, end);
    OwnedBlock other = replaced(pool, block);
    comeAfterSegment(pool, block, allocation);
    Conflict conflict = history.conflict(hosts.forPools(stream), start, end, AccessKind.WRITE);
    if (conflict != null) {
      // That the first owner's work is not done either says nothing new.
      if (other == null) {
        earlyReuse(pool, block, conflict, allocation);
      }
      // Assumed from now on, so that one fault gives one report.
      stream.join(conflict.operation());
    }
    boolean judged = conflict == null && !stream.followsOthers();
    if (judged
        || history.conflict(hosts.forPoolsNow(stream), start, end, AccessKind.WRITE) == null) {
      block.awaits(history.unordered(ownOrKnown(stream), start, end));
      history.wrote(allocation, start, end);
    } else {
      // Work of others that only the stream's next operation will follow: beside it, because there
      // may be none before a third stream uses the block.
      history.read(allocation, start, end);
    }
    pool.add(block);
    unwritten.handedOut(block);
  }

  /** What a stream did itself, or any thread or pool knows to be done. */
  private Order ownOrKnown(StreamClock stream) {
    Order known = hosts.allAndPools();
    return (slot, epoch) -> slot == stream.slot || known.covers(slot, epoch);
  }

  /**
   * A pool handed out page-locked memory, which belongs to no stream.
   *
   * @param captured whether the calling thread captures, so that the memory is for a graph
   */
  public void handedOutOnHost(int device, long start, long bytes, boolean captured) {
    if (!enabled) {
      return;
    }
    long end = start + bytes;
    Operation allocation = operations.hostPoint("pool allocate", AccessKind.ALLOCATE);
    OwnedBlock block =
        OwnedBlock.onHost(owners.nextId(), device, start, bytes, allocation, captured);
    OwnedBlock other = replaced(owners.pools, block);
    Conflict conflict = history.conflict(hosts.allAndPools(), start, end, AccessKind.WRITE);
    if (conflict != null && other == null) {
      earlyReuse(owners.pools, block, conflict, allocation);
    }
    // The new owner comes after all of it, on whatever thread.
    history.forget(start, end);
    owners.pools.add(block);
  }

  /** What another pool handed out is there as of a point of a stream, and its parts not before. */
  private void comeAfterSegment(Ownership pool, OwnedBlock block, Operation allocation) {
    Ownership outer = pool.outer;
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
            "let what takes segments from another allocator wait for the stream that it asks with,"
                + " before a block of one is handed out on another");
    allocation.stream.join(segment.allocated);
  }

  private void earlyReuse(
      Ownership pool, OwnedBlock block, Conflict conflict, Operation allocation) {
    reports
        .find(HazardCode.EARLY_REUSE)
        .in(block)
        .after(pool.dead.overlapping(conflict.start(), conflict.end()))
        .between(conflict, allocation, AccessKind.ALLOCATE, block.start, block.end)
        .report("record the use of the other stream before closing, or have the pool wait for it");
  }

  /** A pool is about to take the memory of live blocks away, which keep their addresses. */
  public void suspended(long start, long bytes) {
    if (enabled) {
      owners.pools.suspend(start, start + bytes);
    }
  }

  public void used(long start, StreamClock stream) {
    if (!enabled) {
      return;
    }
    Ownership pool = owners.poolAt(start);
    OwnedBlock block = pool.liveAt(start);
    if (block != null) {
      if (!block.users.contains(stream)) {
        block.users.add(stream);
      }
      return;
    }
    OwnedBlock dead = pool.dead.at(start);
    if (dead != null) {
      Operation use = operations.point("record use", AccessKind.RECORD, stream);
      reports
          .find(HazardCode.RECORD_AFTER_FREE)
          .inFreed(dead)
          .later(use, AccessKind.RECORD, start, dead.end)
          .missing("the memory was given back before the use was recorded")
          .report("record the use before closing");
    }
  }

  public void takenBack(long start, StreamClock stream) {
    if (!enabled) {
      return;
    }
    Operation free = operations.point("pool free", AccessKind.FREE, stream);
    Ownership pool = owners.poolOf(start, stream);
    OwnedBlock block = pool.liveAt(start);
    if (block == null) {
      wronglyTakenBack(pool, start, free);
      return;
    }
    if (block.captured) {
      // Its graph goes on using it: what comes after is in order with that, not with this.
      pool.free(block, free);
      return;
    }
    judgeUses(block, free, hosts.forCaller(stream));
    enterUses(block, stream);
    // The free is a virtual write, but it must not hide accesses that nobody recorded: it is
    // entered beside them, as one more access that a new owner has to come after.
    history.read(free, start, block.end);
    unwritten.settled(start, block.end);
    pool.free(block, free);
  }

  /**
   * Judges a close after a point: from then on the pool may hand the memory to whoever comes after
   * what it was told of, which are the block's own stream and the recorded ones. So each use has to
   * come before one of these as they are now, or be known to be done; when the memory is really
   * handed out again is luck. One report for each stream, whose uses then count as told.
   */
  private void judgeUses(OwnedBlock block, Operation close, Order point) {
    Order told = told(block, point);
    Conflict use = history.use(told, block.start, block.end);
    while (use != null) {
      reportUnrecorded(block, use, close);
      history.settle(use.operation().stream, block.start, block.end);
      use = history.use(told, block.start, block.end);
    }
  }

  private Order told(OwnedBlock block, Order point) {
    Order told = point;
    for (StreamClock user : block.users) {
      told = Order.either(told, hosts.forCaller(user));
    }
    return told;
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
            "record the use by recordUse before closing it, or close it after "
                + (block.birth == null ? "the host" : block.allocated.stream.name)
                + " waits for that work");
  }

  /** The use of each recorded stream reaches as far as that has come by now. */
  private void enterUses(OwnedBlock block, @Nullable StreamClock owner) {
    for (StreamClock user : block.users) {
      if (user != owner) {
        Operation use = operations.point("recorded use", AccessKind.RECORD, user);
        history.read(use, block.start, block.end);
      }
    }
  }

  public void takenBackOnHost(long start) {
    if (!enabled) {
      return;
    }
    Operation free = operations.hostPoint("pool free", AccessKind.FREE);
    OwnedBlock block = owners.pools.liveAt(start);
    if (block == null) {
      wronglyTakenBack(owners.pools, start, free);
      return;
    }
    if (!block.captured) {
      judgeUses(block, free, hosts.allOfCaller());
      enterUses(block, null);
    }
    owners.pools.free(block, free);
  }

  private void wronglyTakenBack(Ownership pool, long start, Operation free) {
    OwnedBlock dead = pool.dead.at(start);
    if (dead != null) {
      reports
          .find(HazardCode.DOUBLE_FREE)
          .inFreed(dead)
          .later(free, AccessKind.FREE, start, dead.end)
          .missing("it was given back before")
          .report("give each block back once");
    }
    OwnedBlock containing = pool.liveContaining(start);
    if (containing != null) {
      reports
          .find(HazardCode.INVALID_FREE)
          .in(containing)
          .later(free, AccessKind.FREE, start, start)
          .missing("the address lies inside the block")
          .report("give a block back by the address it was handed out with");
    }
  }

  /** A pool took a range to hand out blocks of it: of a block, if another pool handed it out. */
  public void divided(long start, long bytes) {
    owners.pools.innermost(start, start + bytes).divide(start, start + bytes);
  }

  /** A pool is about to give back such a range. */
  public void united(long start) {
    owners.pools.unite(start);
  }

  /** The blocks that were handed out and not taken back: by address, of pools over pools first. */
  public List<Leak> getLive() {
    return owners.pools.allLive().map(PoolBlocks::toLeak).toList();
  }

  /** The block that begins at an address and was not taken back; null if there is none. */
  public @Nullable Leak find(long start) {
    OwnedBlock block = owners.poolAt(start).liveAt(start);
    return block == null ? null : toLeak(block);
  }

  private static Leak toLeak(OwnedBlock block) {
    return new Leak(
        LeakKind.BLOCK,
        block.device,
        block.start,
        block.tag,
        block.end - block.start,
        block.allocated.toAccess(AccessKind.ALLOCATE, block.start, block.end).stack(),
        false);
  }
}
