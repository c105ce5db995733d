package org.vramkit.sim.check;

import org.vramkit.sim.hazard.AccessKind;
import org.vramkit.sim.hazard.HazardCode;

/**
 * The rule of a close: from then on the pool may hand the memory to whoever comes after what it was
 * told of, which are the block's own stream and the recorded ones. So each use has to come before
 * one of these as they are now, or be known to be done. Whether and when the memory is really
 * handed out again does not matter: that is luck.
 */
final class UnrecordedUses extends MemoryRules {
  UnrecordedUses(MemoryRules shared) {
    super(shared);
  }

  /** Judges a close after a point: one report for each stream, whose uses then count as told. */
  void judge(OwnedBlock block, Operation close, Order point) {
    Order told = told(block, point);
    Conflict use = history.use(told, block.start, block.end);
    while (use != null) {
      report(block, use, close);
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

  private void report(OwnedBlock block, Conflict use, Operation close) {
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
}
