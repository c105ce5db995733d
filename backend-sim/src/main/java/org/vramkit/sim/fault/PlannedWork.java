package org.vramkit.sim.fault;

import java.util.List;
import java.util.SplittableRandom;
import org.vramkit.sim.driver.FaultRule;
import org.vramkit.sim.driver.WorkSelector;
import org.vramkit.sim.timeline.Point;

/** Which work is slow or hangs. */
final class PlannedWork extends ActiveRules<FaultRule, PlannedWork.Delaying> {
  static final class Delaying extends ActiveRules.Active<FaultRule> {
    private final WorkSelector work;

    private Delaying(FaultRule rule, WorkSelector work, SplittableRandom random) {
      super(rule, random);
      this.work = work;
    }

    private boolean hits(int device, long stream, long now) {
      boolean concerned =
          (work.device() < 0 || work.device() == device)
              && (work.stream() < 0 || work.stream() == stream)
              && now >= work.fromNanos()
              && now < work.untilNanos();
      return decides(concerned && ++count >= work.fromNth(), work.probability());
    }
  }

  void add(FaultRule rule, WorkSelector work, SplittableRandom random) {
    rules.add(new Delaying(rule, work, random));
  }

  Fate next(int device, long stream, long now) {
    Fate fate = Fate.NORMAL;
    for (Delaying active : rules) {
      if (active.hits(device, stream, now)) {
        fate =
            active.rule instanceof FaultRule.Slow slow
                ? new Fate(
                    // Finite, so that no time at all stays none.
                    Math.min(Double.MAX_VALUE, fate.factor() * slow.factor()),
                    Point.after(fate.extraNanos(), slow.extraNanos()),
                    fate.hangs())
                : new Fate(fate.factor(), fate.extraNanos(), true);
      }
    }
    return fate;
  }

  void endHangs() {
    for (Delaying active : List.copyOf(rules)) {
      if (active.rule instanceof FaultRule.Hang) {
        end(active);
      }
    }
  }
}
