package org.vramkit.sim.fault;

import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.driver.CallSelector;
import org.vramkit.sim.driver.DriverFunction;
import org.vramkit.sim.driver.Fault;
import org.vramkit.sim.driver.FaultRule;

/** Which calls fail. */
final class CallFaults extends ActiveRules<FaultRule.Fail, CallFaults.Failing> {
  static final class Failing extends ActiveRules.Active<FaultRule.Fail> {
    private final CallSelector calls = rule.calls();

    private Failing(FaultRule.Fail rule, SplittableRandom random) {
      super(rule, random);
    }

    private boolean concerns(DriverFunction function, long now) {
      return (calls.function() == null || calls.function() == function)
          && now >= calls.fromNanos()
          && now < calls.untilNanos();
    }

    private boolean hits(long number) {
      count++;
      boolean chosen =
          (calls.number() == 0 || calls.number() == number)
              && (calls.nth() == 0 || calls.nth() == count)
              && count % calls.every() == 0;
      return decides(chosen, calls.probability());
    }

    private boolean isSpent(long number) {
      return (calls.number() > 0 && number >= calls.number())
          || (calls.nth() > 0 && count >= calls.nth());
    }
  }

  void add(FaultRule.Fail rule, SplittableRandom random) {
    rules.add(new Failing(rule, random));
  }

  /** What a call answers instead of success; null to let it go on. */
  @Nullable Fault next(DriverFunction function, long number, long now) {
    Fault fault = null;
    for (Failing active : List.copyOf(rules)) {
      if (active.concerns(function, now)) {
        // Every rule counts and draws, so that one rule does not change what another does.
        if (active.hits(number) && fault == null) {
          fault = active.rule.fault();
        }
        if (active.isSpent(number)) {
          end(active);
        }
      }
    }
    return fault;
  }
}
