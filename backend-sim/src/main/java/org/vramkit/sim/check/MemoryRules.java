package org.vramkit.sim.check;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.check.Owners.BlockMap;
import org.vramkit.sim.hazard.AccessKind;
import org.vramkit.sim.hazard.HazardCode;

/** The state that all memory rules share. */
class MemoryRules {
  final boolean enabled;
  final Operation.Factory operations;
  final HostThreads hosts;
  final ShadowMemory history;
  final Owners owners;
  final UnwrittenReads unwritten;
  final OrderRule order;
  final Reports reports;

  MemoryRules(
      boolean enabled,
      Operation.Factory operations,
      HostThreads hosts,
      ShadowMemory history,
      Owners owners,
      UnwrittenReads unwritten,
      OrderRule order,
      Reports reports) {
    this.enabled = enabled;
    this.operations = operations;
    this.hosts = hosts;
    this.history = history;
    this.owners = owners;
    this.unwritten = unwritten;
    this.order = order;
    this.reports = reports;
  }

  MemoryRules(MemoryRules shared) {
    this(
        shared.enabled,
        shared.operations,
        shared.hosts,
        shared.history,
        shared.owners,
        shared.unwritten,
        shared.order,
        shared.reports);
  }

  /**
   * Sets the previous owner of a new block. If the memory still has an owner, reports and returns
   * that; otherwise returns null.
   */
  final @Nullable OwnedBlock reportOverlap(BlockMap pool, OwnedBlock block) {
    block.setPrevious(pool.freed.overlapping(block.start, block.end));
    OwnedBlock other = pool.overlapping(block.start, block.end);
    if (other != null) {
      reports
          .find(HazardCode.OVERLAPPING_BLOCKS)
          .in(block)
          .after(other)
          .earlier(other.allocated, AccessKind.ALLOCATE, other.start, other.end)
          .later(block.allocated, AccessKind.ALLOCATE, block.start, block.end)
          .at(Math.max(block.start, other.start), Math.min(block.end, other.end))
          .missing("the first owner has not freed it")
          .report("fix the pool: a block must have only one owner");
    }
    return other;
  }

  /** Reports that a pool allocated the memory of a graph's block again, outside of graphs. */
  final void reportReuse(
      OwnedBlock captured,
      OwnedBlock successor,
      Operation by,
      AccessKind kind,
      long start,
      long end) {
    reports
        .find(HazardCode.EARLY_REUSE)
        .inFreed(captured)
        .later(by, kind, start, end)
        .missing(
            "its graph can still be launched, but the memory now belongs to the"
                + " "
                + successor.toOwner())
        .report("let the pool keep blocks of a capture until the graph is closed");
  }

  /**
   * Enters an allocation of a pool into the history. Returns the earlier uses that it waits for:
   * those by other streams that no thread or pool knows to be done. A {@code reported} one counts
   * as done.
   */
  final List<Operation> enterAllocation(
      Operation allocation, @Nullable Conflict reported, long start, long end) {
    Order done = hosts.allAndPools();
    int own = allocation.slot();
    Order known = (slot, epoch) -> slot == own || done.covers(slot, epoch);
    if (reported != null) {
      Operation early = reported.operation();
      known = Order.either(known, (slot, epoch) -> slot == early.slot() && epoch <= early.epoch());
    }
    return history.enterAllocation(allocation, known, start, end);
  }
}
