package org.vramkit.sim.check;

import org.jspecify.annotations.Nullable;
import org.vramkit.sim.check.MissingOrder.Suspicion;
import org.vramkit.sim.check.MissingOrder.Verdict;
import org.vramkit.sim.hazard.AccessKind;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.memory.Region;

/** Judges whether work comes after the allocation of its memory, and after all in conflict. */
final class StreamRaces extends MemoryRules {
  StreamRaces(MemoryRules shared) {
    super(shared);
  }

  /** Judges one access to memory of a block, or of nobody known, and remembers it. */
  void judge(Touch touch, @Nullable OwnedBlock block, Region region) {
    if (!isInOrder(touch, block)) {
      judgeOrder(touch, block, region);
    }
    history.enter(touch.by(), touch.kind(), touch.start(), touch.end());
  }

  /** Whether an access comes after all in conflict, and after its memory was there: mostly. */
  private boolean isInOrder(Touch touch, @Nullable OwnedBlock block) {
    StreamClock stream = touch.by().stream;
    return (block == null || block.birth == null || block.birth.isBefore(stream))
        && history.conflict(stream, touch.start(), touch.end(), touch.kind()) == null;
  }

  private void judgeOrder(Touch touch, @Nullable OwnedBlock block, Region region) {
    Verdict verdict = order.before(touch.by());
    if (block != null && block.birth != null) {
      verdict.addBirth(block.birth, useBeforeAlloc(touch, block, block.birth));
    }
    verdict
        .addConflicts(
            touch.start(),
            touch.end(),
            touch.kind(),
            conflict ->
                new Suspicion(
                    conflict.race(touch.kind()),
                    finding -> finding.in(block, region).between(conflict, touch),
                    conflict.isByThread()
                        ? "hand over between the two threads with HandOff"
                        : "record an event after the earlier operation and make the later stream"
                            + " wait for it"))
        .report();
  }

  private Suspicion useBeforeAlloc(Touch touch, OwnedBlock block, Operation birth) {
    return new Suspicion(
        HazardCode.USE_BEFORE_ALLOC,
        finding ->
            finding
                .in(block)
                .earlier(birth, AccessKind.ALLOCATE, block.start, block.end)
                .later(touch)
                .unordered(birth, touch.by()),
        useBeforeAllocRemedy(touch, birth));
  }

  /** An event right after the allocation would only show the next hazard, where it was written. */
  private String useBeforeAllocRemedy(Touch touch, Operation birth) {
    Conflict last =
        history.conflict(touch.by().stream, touch.start(), touch.end(), AccessKind.WRITE);
    if (last == null
        || last.operation().stream != birth.stream
        || last.operation().index() <= birth.index()) {
      return "record an event on the allocating stream and make the using one wait for it";
    }
    return ("record an event on the allocating stream after operation %s, its last on these bytes,"
            + " and make the using one wait for it")
        .formatted(last.operation().index());
  }
}
