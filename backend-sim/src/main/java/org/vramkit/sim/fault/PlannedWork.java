package org.vramkit.sim.fault;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.vramkit.sim.driver.FaultRule;
import org.vramkit.sim.driver.WorkSelector;
import org.vramkit.sim.timeline.VirtualTime;

/** Which work is slow or hangs. Not safe for threads. */
final class PlannedWork {
  /** A rule in force: what it has counted, and its own source of chance. */
  private static final class Active {
    final FaultRule rule;
    final WorkSelector work;
    final SplittableRandom random;
    long count;
    boolean used;

    Active(FaultRule rule, WorkSelector work, SplittableRandom random) {
      this.rule = rule;
      this.work = work;
      this.random = random;
    }

    boolean hits(int device, long stream, long now) {
      boolean concerned =
          (work.device() < 0 || work.device() == device)
              && (work.stream() < 0 || work.stream() == stream)
              && now >= work.fromNanos()
              && now < work.untilNanos();
      boolean chosen = concerned && ++count >= work.fromNth();
      used |= chosen;
      return chosen && (work.probability() == 1 || random.nextDouble() < work.probability());
    }
  }

  private final List<Active> rules = new ArrayList<>();
  private final List<FaultRule> missed = new ArrayList<>();

  void add(FaultRule.Slow rule, SplittableRandom random) {
    rules.add(new Active(rule, rule.work(), random));
  }

  void add(FaultRule.Hang rule, SplittableRandom random) {
    rules.add(new Active(rule, rule.work(), random));
  }

  Fate next(int device, long stream, long now) {
    Fate fate = Fate.NORMAL;
    for (Active active : rules) {
      if (active.hits(device, stream, now)) {
        fate =
            active.rule instanceof FaultRule.Slow slow
                ? new Fate(
                    // Finite, so that no time at all stays none.
                    Math.min(Double.MAX_VALUE, fate.factor() * slow.factor()),
                    VirtualTime.after(fate.extraNanos(), slow.extraNanos()),
                    fate.hangs())
                : new Fate(fate.factor(), fate.extraNanos(), true);
      }
    }
    return fate;
  }

  List<FaultRule> inForce() {
    return rules.stream().map(active -> active.rule).toList();
  }

  /** Rules to which no work has come that they choose, be it that chance then let it go. */
  List<FaultRule> unused() {
    return Stream.concat(
            missed.stream(),
            rules.stream().filter(active -> !active.used).map(active -> active.rule))
        .toList();
  }

  void endHangs() {
    rules.stream()
        .filter(active -> active.rule instanceof FaultRule.Hang && !active.used)
        .forEach(active -> missed.add(active.rule));
    rules.removeIf(active -> active.rule instanceof FaultRule.Hang);
  }

  void clear() {
    missed.clear();
    rules.clear();
  }
}
