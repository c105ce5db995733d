package org.vramkit.sim.fault;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.vramkit.sim.driver.FaultRule;

/** Rules of one kind that are in force, and those that never did anything. Not safe for threads. */
abstract class ActiveRules<R extends FaultRule, A extends ActiveRules.Active<R>> {
  /** A rule in force: what it has counted, and its own source of chance. */
  static class Active<R extends FaultRule> {
    final R rule;
    private final SplittableRandom random;
    long count;

    /** True if something has come that it chooses, be it that chance then let it go. */
    boolean used;

    Active(R rule, SplittableRandom random) {
      this.rule = rule;
      this.random = random;
    }

    final boolean decides(boolean chosen, double probability) {
      used |= chosen;
      return chosen && (probability == 1 || random.nextDouble() < probability);
    }
  }

  final List<A> rules = new ArrayList<>();
  private final List<R> missed = new ArrayList<>();

  /** A rule can do nothing any more. */
  final void end(A active) {
    rules.remove(active);
    if (!active.used) {
      missed.add(active.rule);
    }
  }

  List<R> inForce() {
    return rules.stream().map(active -> active.rule).toList();
  }

  final List<R> unused() {
    return Stream.concat(
            missed.stream(),
            rules.stream().filter(active -> !active.used).map(active -> active.rule))
        .toList();
  }

  void clear() {
    missed.clear();
    rules.clear();
  }
}
