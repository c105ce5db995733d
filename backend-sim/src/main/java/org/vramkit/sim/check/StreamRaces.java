package org.vramkit.sim.check;

import org.jspecify.annotations.Nullable;
import org.vramkit.sim.hazard.AccessKind;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.memory.Region;

/** Judges whether work comes after the allocation of its memory, and after all in conflict. */
final class StreamRaces {
  private final History history;
  private final MissingOrder order;
  private final Reporter reporter;

  StreamRaces(History history, MissingOrder order, Reporter reporter) {
    this.history = history;
    this.order = order;
    this.reporter = reporter;
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
    boolean writes = kind == AccessKind.WRITE;
    Operation birth = block == null ? null : block.birth;
    if (block != null
        && birth != null
        && birth.stream() != by.stream()
        && !order.isBefore(birth, by.stream())) {
      reporter
          .find(HazardCode.USE_BEFORE_ALLOC)
          .in(block, region)
          .earlier(birth, AccessKind.ALLOCATE, block.start, block.end)
          .later(by, kind, start, end)
          .unordered(birth, by)
          .report("record an event on the allocating stream and make the using one wait for it");
      by.stream().join(birth.stream().getSlot(), birth.epoch());
    } else {
      Conflict conflict = order.conflict(by.stream(), start, end, writes);
      if (conflict != null) {
        order.report(
            conflict.race(writes),
            finding -> finding.in(block, region).between(conflict, by, kind, start, end),
            conflict,
            by,
            "record an event after the earlier operation and make the later stream wait for it");
      }
    }
    if (writes) {
      history.wrote(by, start, end);
    } else {
      history.read(by, start, end);
    }
  }
}
