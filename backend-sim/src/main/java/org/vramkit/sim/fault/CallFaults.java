package org.vramkit.sim.fault;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.driver.CallSelector;
import org.vramkit.sim.driver.DriverFunction;
import org.vramkit.sim.driver.Fault;
import org.vramkit.sim.driver.FaultRule;

/** Which calls fail. Not safe for threads. */
final class CallFaults {
  /** A rule in force: what it has counted, and its own source of chance. */
  private static final class Active {
    final FaultRule.Fail rule;
    final SplittableRandom random;
    long count;
    boolean used;

    Active(FaultRule.Fail rule, SplittableRandom random) {
      this.rule = rule;
      this.random = random;
    }

    boolean concerns(DriverFunction function, long now) {
      CallSelector calls = rule.calls();
      return (calls.function() == null || calls.function() == function)
          && now >= calls.fromNanos()
          && now < calls.untilNanos();
    }

    boolean hits(long number) {
      CallSelector calls = rule.calls();
      boolean chosen =
          (calls.number() == 0 || calls.number() == number)
              && (calls.nth() == 0 || calls.nth() == count)
              && count % calls.every() == 0;
      used |= chosen;
      return chosen && (calls.probability() == 1 || random.nextDouble() < calls.probability());
    }

    /** Whether it cannot hit any later call. */
    boolean isSpent(long number) {
      CallSelector calls = rule.calls();
      return (calls.number() > 0 && number >= calls.number())
          || (calls.nth() > 0 && count >= calls.nth());
    }
  }

  private final List<Active> rules = new ArrayList<>();
  private final List<FaultRule.Fail> missed = new ArrayList<>();

  void add(FaultRule.Fail rule, SplittableRandom random) {
    rules.add(new Active(rule, random));
  }

  /** What a call answers instead of success; null to let it go on. */
  @Nullable Fault next(DriverFunction function, long number, long now) {
    Fault fault = null;
    for (Iterator<Active> it = rules.iterator(); it.hasNext(); ) {
      Active active = it.next();
      if (active.concerns(function, now)) {
        active.count++;
        // Every rule counts and draws, so that one rule does not change what another does.
        if (active.hits(number) && fault == null) {
          fault = active.rule.fault();
        }
        if (active.isSpent(number)) {
          if (!active.used) {
            missed.add(active.rule);
          }
          it.remove();
        }
      }
    }
    return fault;
  }

  List<FaultRule.Fail> inForce() {
    return rules.stream().map(active -> active.rule).toList();
  }

  /** Rules to which no call has come that they choose, be it that chance then let it go. */
  List<FaultRule.Fail> unused() {
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
