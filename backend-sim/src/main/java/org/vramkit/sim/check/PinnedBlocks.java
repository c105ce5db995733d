package org.vramkit.sim.check;

import org.jspecify.annotations.Nullable;
import org.vramkit.api.units.ByteSize;
import org.vramkit.sim.hazard.AccessKind;
import org.vramkit.sim.hazard.HazardCode;

/** Checks whether copies stay in the page-locked memory that a pool handed out. */
final class PinnedBlocks extends MemoryRules {
  private static final String BUFFER = "page-locked buffer";

  PinnedBlocks(MemoryRules shared) {
    super(shared);
  }

  void allocated(PinnedRange buffer, Operation allocation) {
    owners.host.add(
        OwnedBlock.atOnce(0, BUFFER, buffer.device(), buffer.start(), buffer.size(), allocation));
  }

  void freed(PinnedRange buffer, Operation free) {
    OwnedBlock block = owners.host.liveAt(buffer.start());
    if (block != null) {
      owners.host.free(block, free);
    }
  }

  /** Returns whether a range lies in a block with an owner, or in memory of no pool. */
  boolean isInside(Operation copy, PinnedRange range, AccessKind kind) {
    if (range.start() == range.end()) {
      return true;
    }
    OwnedBlock block = blockOf(range);
    if (block != null) {
      return endsInside(copy, range, kind, block);
    }
    OwnedBlock freed = owners.pools.freed.containing(range.start());
    if (freed != null) {
      afterFree(copy, range, kind, freed);
    }
    return freed == null;
  }

  private @Nullable OwnedBlock blockOf(PinnedRange range) {
    OwnedBlock block = owners.pools.liveContaining(range.start());
    return block == null ? owners.pools.liveContaining(range.buffer()) : block;
  }

  /**
   * Keeps the owner of the memory that a captured copy accesses, if it may, for the launches of the
   * graph.
   */
  void capture(Operation copy, PinnedRange range, AccessKind kind, GraphNode node) {
    if (isInside(copy, range, kind)) {
      OwnedBlock block = blockOf(range);
      node.touches(range.start(), kind, block == null ? owners.host.liveAt(range.buffer()) : block);
    }
  }

  /** Returns whether the memory that a graph's copy accesses still has the same owner. */
  boolean isStillOwned(Operation copy, PinnedRange range, AccessKind kind, GraphNode node) {
    OwnedBlock owner = node.ownerOf(range.start(), kind);
    if (owner == null) {
      return false;
    }
    boolean closed = owners.host.liveAt(range.buffer()) == null;
    if (closed || (owner.freed != null && !owner.captured)) {
      afterFree(copy, range, kind, owner);
      return false;
    }
    OwnedBlock successor = owner.freed == null ? null : blockOf(range);
    if (successor != null && !successor.captured) {
      reportReuse(owner, successor, copy, kind, range.start(), range.end());
      return false;
    }
    return true;
  }

  void forget(PinnedRange buffer) {
    owners.pools.drop(buffer.start(), buffer.end());
    owners.pools.freed.forget(buffer.start(), buffer.end());
  }

  private boolean endsInside(Operation copy, PinnedRange range, AccessKind kind, OwnedBlock block) {
    if (range.end() <= block.end) {
      return true;
    }
    long beyond = Math.max(range.start(), block.end);
    reports
        .find(HazardCode.OUT_OF_BOUNDS)
        .in(block)
        .later(copy, kind, range.start(), range.end())
        .at(beyond, range.end())
        .missing(ByteSize.format(range.end() - beyond) + " beyond the end, in slack")
        .report("request more bytes, or access fewer");
    return false;
  }

  private void afterFree(Operation copy, PinnedRange range, AccessKind kind, OwnedBlock freed) {
    reports
        .find(HazardCode.USE_AFTER_FREE)
        .inFreed(freed)
        .later(copy, kind, range.start(), range.end())
        .missing("the memory was freed before this was submitted")
        .report("close the buffer after submitting its last copy");
  }
}
