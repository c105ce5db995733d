package org.vramkit.sim.fault;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.driver.DriverFunction;
import org.vramkit.sim.driver.Fault;
import org.vramkit.sim.driver.FaultInjector;
import org.vramkit.sim.driver.FaultPlan;
import org.vramkit.sim.driver.FaultRule;
import org.vramkit.sim.memory.PhysicalBudget;
import org.vramkit.sim.memory.SparseBytes;

/**
 * The plans in force. Each rule draws from a source of its own, made from the seed and the number
 * of the rule, so that one more rule at the end leaves the others as they were. Guarded by its own
 * monitor.
 */
public final class FaultScript implements FaultInjector, WorkFaults {
  private final long seed;
  private final CallFaults calls = new CallFaults();
  private final PlannedWork work = new PlannedWork();
  private final OccupiedMemory memory;
  private final Runnable hangsEnded;
  private long rules;
  private long injected;

  /**
   * A script without rules.
   *
   * @param seed where chance comes from
   * @param budgets the memory of each device; grows while devices are made
   * @param hangsEnded lets go what hangs
   */
  public FaultScript(long seed, List<PhysicalBudget> budgets, Runnable hangsEnded) {
    this.seed = seed;
    this.memory = new OccupiedMemory(budgets);
    this.hangsEnded = hangsEnded;
  }

  /** What a call answers instead of success; null to let it go on. */
  public synchronized @Nullable Fault next(DriverFunction function, long number, long now) {
    Fault fault = calls.next(function, number, now);
    if (fault != null) {
      injected++;
    }
    return fault;
  }

  @Override
  public synchronized Fate next(int device, long stream, long now) {
    return work.next(device, stream, now);
  }

  /** Lets other processes take and give back memory; under the backend's lock. */
  public synchronized void advanceTo(long now) {
    memory.advanceTo(now);
  }

  @Override
  public synchronized FaultInjector inject(FaultPlan plan) {
    for (FaultRule rule : plan.rules()) {
      if (rule instanceof FaultRule.Occupy occupy) {
        memory.require(occupy);
      }
    }
    plan.rules().forEach(this::add);
    return this;
  }

  private void add(FaultRule rule) {
    SplittableRandom random = new SplittableRandom(SparseBytes.mix(seed + rules++));
    if (rule instanceof FaultRule.Fail fail) {
      calls.add(fail, random);
    } else if (rule instanceof FaultRule.Slow slow) {
      work.add(slow, random);
    } else if (rule instanceof FaultRule.Hang hang) {
      work.add(hang, random);
    } else if (rule instanceof FaultRule.Occupy occupy) {
      memory.add(occupy);
    }
  }

  @Override
  public synchronized FaultPlan getPlan() {
    List<FaultRule> inForce = new ArrayList<>(calls.inForce());
    inForce.addAll(work.inForce());
    inForce.addAll(memory.inForce());
    return new FaultPlan(inForce);
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
