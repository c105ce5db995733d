package org.vramkit.sim.fault;

import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.BiPredicate;
import java.util.function.ObjLongConsumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.sim.driver.DriverFunction;
import org.vramkit.sim.driver.Fault;
import org.vramkit.sim.driver.FaultInjector;
import org.vramkit.sim.driver.FaultPlan;
import org.vramkit.sim.driver.FaultRule;
import org.vramkit.sim.driver.WorkSelector;
import org.vramkit.sim.memory.PhysicalBudget;
import org.vramkit.sim.memory.SparseBytes;

/**
 * The plans in force. Each rule draws from a source of its own, made from the seed and the number
 * of the rule, so that one more rule at the end leaves the others as they were. Guarded by its own
 * monitor.
 */
public final class FaultScript implements FaultInjector {
  private final long seed;
  private final List<PhysicalBudget> budgets;
  private final BiPredicate<Integer, Long> streams;
  private final CallFaults calls = new CallFaults();
  private final PlannedWork work = new PlannedWork();
  private final OccupiedMemory memory;
  private final Runnable hangsEnded;
  private long rules;
  private volatile boolean idle = true;
  private long injected;

  /**
   * A script without rules.
   *
   * @param budgets the memory of each device; grows while devices are made
   * @param streams whether a device has an open stream of a handle; asked outside the monitor
   * @param occupied told of the memory of a device, by ordinal, that another process takes, or,
   *     negative, gives back; never of 0 bytes
   */
  public FaultScript(
      long seed,
      List<PhysicalBudget> budgets,
      BiPredicate<Integer, Long> streams,
      ObjLongConsumer<Integer> occupied,
      Runnable hangsEnded) {
    this.seed = seed;
    this.budgets = budgets;
    this.streams = streams;
    this.memory = new OccupiedMemory(budgets, occupied);
    this.hangsEnded = hangsEnded;
  }

  /** Returns whether no rule was ever given; needs no monitor. */
  public boolean isIdle() {
    return idle;
  }

  /** What a call answers instead of success; null to let it go on. */
  public synchronized @Nullable Fault next(DriverFunction function, long number, long now) {
    Fault fault = calls.next(function, number, now);
    if (fault != null) {
      injected++;
    }
    return fault;
  }

  /** What happens to one piece of work; asked once for each, when it is submitted. */
  public synchronized Fate next(int device, long stream, long now) {
    return work.next(device, stream, now);
  }

  /** Lets other processes take and give back memory; under the backend's lock. */
  public synchronized void advanceTo(long now) {
    memory.advanceTo(now);
  }

  @Override
  public FaultInjector inject(FaultPlan plan) {
    Objects.requireNonNull(plan, "plan");
    // Outside the monitor, which is taken under the backend's lock and not the other way round.
    plan.rules().forEach(this::requirePlace);
    synchronized (this) {
      plan.rules().forEach(this::add);
    }
    return this;
  }

  /** Refuses a rule about a device or stream that is not there: it would never do anything. */
  private void requirePlace(FaultRule rule) {
    if (rule instanceof FaultRule.Occupy occupy) {
      requireDevice(rule, occupy.device());
    } else if (rule instanceof FaultRule.Slow slow) {
      requireWork(rule, slow.work());
    } else if (rule instanceof FaultRule.Hang hang) {
      requireWork(rule, hang.work());
    }
  }

  private void requireWork(FaultRule rule, WorkSelector work) {
    if (work.device() >= 0) {
      requireDevice(rule, work.device());
    }
    if (work.stream() >= 0 && !streams.test(work.device(), work.stream())) {
      throw new InvalidArgumentException(
          "device %s has no open stream 0x%x for the rule '%s'; inject it once the stream is there"
              .formatted(work.device(), work.stream(), rule));
    }
  }

  private void requireDevice(FaultRule rule, int device) {
    if (device >= budgets.size()) {
      throw new InvalidArgumentException(
          "no device %s for the rule '%s': the simulator has %s, from 0"
              .formatted(device, rule, budgets.size()));
    }
  }

  private void add(FaultRule rule) {
    SplittableRandom random = new SplittableRandom(SparseBytes.mix(seed + rules++));
    idle = false;
    if (rule instanceof FaultRule.Fail fail) {
      calls.add(fail, random);
    } else if (rule instanceof FaultRule.Slow slow) {
      work.add(slow, slow.work(), random);
    } else if (rule instanceof FaultRule.Hang hang) {
      work.add(hang, hang.work(), random);
    } else if (rule instanceof FaultRule.Occupy occupy) {
      memory.add(occupy, random);
    }
  }

  @Override
  public synchronized FaultPlan getPlan() {
    return plan(calls.inForce(), work.inForce(), memory.inForce());
  }

  @Override
  public synchronized FaultPlan getUnused() {
    return plan(calls.unused(), work.unused(), memory.unused());
  }

  private static FaultPlan plan(
      List<? extends FaultRule> calls,
      List<? extends FaultRule> work,
      List<? extends FaultRule> memory) {
    return new FaultPlan(Stream.of(calls, work, memory).<FaultRule>flatMap(List::stream).toList());
  }

  @Override
  public synchronized FaultInjector clear() {
    calls.clear();
    work.clear();
    memory.clear();
    return this;
  }

  @Override
  public FaultInjector endHangs() {
    synchronized (this) {
      work.endHangs();
    }
    // Outside the monitor, which is taken under the backend's lock and not the other way round.
    hangsEnded.run();
    return this;
  }

  @Override
  public synchronized long getInjected() {
    return injected;
  }
}
