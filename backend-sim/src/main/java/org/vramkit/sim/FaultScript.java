package org.vramkit.sim;

import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.sim.driver.DriverFunction;
import org.vramkit.sim.driver.Fault;
import org.vramkit.sim.driver.FaultPlan;

/** Which calls fail. Guarded by its own monitor. */
final class FaultScript implements FaultPlan {
  private record Chance(double probability, Fault fault) {}

  private final SplittableRandom random;
  private final Map<DriverFunction, Long> calls = new EnumMap<>(DriverFunction.class);
  private final Map<DriverFunction, Map<Long, Fault>> nth = new EnumMap<>(DriverFunction.class);
  private final Map<DriverFunction, Fault> every = new EnumMap<>(DriverFunction.class);
  private final Map<DriverFunction, Chance> chances = new EnumMap<>(DriverFunction.class);
  private final Map<Long, Fault> numbered = new HashMap<>();
  private long injected;

  FaultScript(long seed) {
    this.random = new SplittableRandom(seed);
  }

  /** What a call answers instead of success; null to let it go on. */
  synchronized @Nullable Fault next(DriverFunction function, long number) {
    long count = calls.merge(function, 1L, Long::sum);
    Fault fault = numbered.remove(number);
    if (fault == null) {
      Map<Long, Fault> planned = nth.get(function);
      fault = planned == null ? null : planned.remove(count);
    }
    if (fault == null) {
      fault = every.get(function);
    }
    Chance chance = chances.get(function);
    if (fault == null && chance != null && random.nextDouble() < chance.probability()) {
      fault = chance.fault();
    }
    if (fault != null) {
      injected++;
    }
    return fault;
  }

  @Override
  public synchronized FaultPlan failNth(String name, long which, Fault fault) {
    if (which < 1) {
      throw new InvalidArgumentException("calls are counted from 1; got " + which);
    }
    DriverFunction function = DriverFunction.of(name);
    nth.computeIfAbsent(function, key -> new HashMap<>())
        .put(calls.getOrDefault(function, 0L) + which, fault);
    return this;
  }

  @Override
  public synchronized FaultPlan failEvery(String name, Fault fault) {
    every.put(DriverFunction.of(name), fault);
    return this;
  }

  @Override
  public synchronized FaultPlan failCall(long number, Fault fault) {
    numbered.put(number, fault);
    return this;
  }

  @Override
  public synchronized FaultPlan failRandomly(String name, double probability, Fault fault) {
    if (!(probability >= 0 && probability <= 1)) {
      throw new InvalidArgumentException("a probability is from 0 to 1; got " + probability);
    }
    chances.put(DriverFunction.of(name), new Chance(probability, fault));
    return this;
  }

  @Override
  public synchronized FaultPlan clear() {
    nth.clear();
    every.clear();
    chances.clear();
    numbered.clear();
    return this;
  }

  @Override
  public synchronized long getInjected() {
    return injected;
  }
}
