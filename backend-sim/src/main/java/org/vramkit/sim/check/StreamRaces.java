package org.vramkit.sim.check;

import org.jspecify.annotations.Nullable;
import org.vramkit.sim.check.report.Conflict;
import org.vramkit.sim.check.report.Operation;
import org.vramkit.sim.check.report.OwnedBlock;
import org.vramkit.sim.check.thread.MissingOrder.Suspicion;
import org.vramkit.sim.check.thread.MissingOrder.Verdict;
import org.vramkit.sim.hazard.AccessKind;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.memory.Region;

/** Judges whether work comes after the allocation of its memory, and after all in conflict. */
final class StreamRaces extends MemoryRules {
  StreamRaces(MemoryRules shared) {
    super(shared);
  }

  /**
   * Judges one access, and remembers it.
   *
   * @param block whose memory it is, if anybody is known to own it
   */
  void judge(
      Operation by,
      @Nullable OwnedBlock block,
      Region region,
      long start,
      long end,
      AccessKind kind) {
    if (!order.isComplete(by, block, start, end, kind)) {
      judgeOrder(by, block, region, start, end, kind);
    }
    history.touched(by, kind, start, end);
  }

  private void judgeOrder(
      Operation by,
      @Nullable OwnedBlock block,
      Region region,
      long start,
      long end,
      AccessKind kind) {
    Verdict verdict = order.before(by);
    if (block != null && block.birth != null) {
      verdict.addBirth(block.birth, useBeforeAlloc(by, block, block.birth, start, end, kind));
    }
    verdict
        .addConflicts(
            start,
            end,
            kind,
            conflict ->
                new Suspicion(
                    conflict.race(kind),
                    finding -> finding.in(block, region).between(conflict, by, kind, start, end),
                    conflict.isByHost()
                        ? "hand over between the two threads with HandOff"
                        : "record an event after the earlier operation and make the later stream"
                            + " wait for it"))
        .report();
  }

  private Suspicion useBeforeAlloc(
      Operation by, OwnedBlock block, Operation birth, long start, long end, AccessKind kind) {
    return new Suspicion(
        HazardCode.USE_BEFORE_ALLOC,
        finding ->
            finding
                .in(block)
                .earlier(birth, AccessKind.ALLOCATE, block.start, block.end)
                .later(by, kind, start, end)
                .unordered(birth, by),
        useBeforeAllocRemedy(by, birth, start, end));
  }

  /** An event right after the allocation would only show the next hazard, where it was written. */
  private String useBeforeAllocRemedy(Operation by, Operation birth, long start, long end) {
    Conflict last = history.conflict(by.stream(), start, end, true);
    if (last == null
        || last.operation().stream() != birth.stream()
        || last.operation().index() <= birth.index()) {
      return "record an event on the allocating stream and make the using one wait for it";
    }
    return "record an event on the allocating stream after operation "
        + last.operation().index()
        + ", its last on these bytes, and make the using one wait for it";
  }
}
