package org.vramkit.sim.fault;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.sim.driver.CallSelector;
import org.vramkit.sim.driver.DriverFunction;
import org.vramkit.sim.driver.Fault;
import org.vramkit.sim.driver.FaultInjector;
import org.vramkit.sim.driver.FaultPlan;
import org.vramkit.sim.driver.FaultRule;
import org.vramkit.sim.driver.Selection;
import org.vramkit.sim.driver.WorkSelector;
import org.vramkit.sim.memory.PhysicalBudget;
import org.vramkit.sim.memory.SparseBytes;
import org.vramkit.sim.timeline.Point;

/**
 * Applies the fault plans in force. Each rule has its own random source, made from the seed and the
 * number of the rule, so that a further rule leaves the others unchanged. Guarded by its own
 * monitor.
 */
public final class ActiveFaults implements FaultInjector {
  private final long seed;
  private final List<PhysicalBudget> budgets;
  private final Driver driver;

  /** Rules that may still apply, in the order of injection. */
  private final List<ActiveRule> active = new ArrayList<>();

  /** Rules that ended without having applied. */
  private final List<FaultRule> missed = new ArrayList<>();

  private long rules;
  private volatile boolean idle = true;
  private long injected;

  /**
   * Creates an instance without rules.
   *
   * @param budgets the memory of each device, to which devices are added later
   */
  public ActiveFaults(long seed, List<PhysicalBudget> budgets, Driver driver) {
    this.seed = seed;
    this.budgets = budgets;
    this.driver = driver;
  }

  /** Returns whether no rule was ever given; needs no monitor. */
  public boolean isIdle() {
    return idle;
  }

  /** Returns the fault of a call; null to let it proceed. */
  public synchronized @Nullable Fault next(
      DriverFunction function, long number, Origin origin, long now) {
    Fault fault = null;
    for (ActiveRule each : List.copyOf(active)) {
      if (each.rule instanceof FaultRule.Fail fail
          && concerns(fail.calls(), function, origin, now)) {
        // Every rule counts and draws, so that one rule does not change what another does.
        if (each.hits(fail.calls(), number) && fault == null) {
          fault = fail.fault();
        }
        if (each.isSpent(fail.calls(), number)) {
          end(each);
        }
      }
    }
    injected += fault == null ? 0 : 1;
    return fault;
  }

  private static boolean concerns(
      CallSelector calls, DriverFunction function, Origin origin, long now) {
    return (calls.function() == null || calls.function() == function)
        && matches(calls.where(), origin, now);
  }

  private static boolean matches(Selection where, Origin origin, long now) {
    return where.matches(origin.device(), origin.stream(), origin.bytes(), now);
  }

  /**
   * Returns the fault of a piece of work. Counts the work, so each piece needs one call, at its
   * submission.
   */
  public synchronized PlannedFault next(Origin origin, long now) {
    PlannedFault planned = PlannedFault.NORMAL;
    for (ActiveRule each : active) {
      if (each.rule instanceof FaultRule.Slow slow && each.hits(slow.work(), origin, now)) {
        planned = planned.slower(slow.factor(), slow.extraNanos());
      } else if (each.rule instanceof FaultRule.Hang hang && each.hits(hang.work(), origin, now)) {
        planned = new PlannedFault(planned.factor(), planned.extraNanos(), true);
      }
    }
    return planned;
  }

  /** Lets other processes take and return memory; under the backend's lock. */
  public synchronized void advanceTo(long now) {
    for (ActiveRule each : List.copyOf(active)) {
      if (each.rule instanceof FaultRule.Occupy occupy) {
        PhysicalBudget budget = budgets.get(occupy.device());
        if (!each.used && now >= occupy.fromNanos() && now < occupy.untilNanos()) {
          each.used = true;
          each.taken = Math.min(occupy.bytes(), budget.getFree());
          budget.occupy(each.taken);
          noteOccupied(occupy, each.taken);
        }
        if (each.isRevoked || now >= occupy.untilNanos()) {
          end(each);
          budget.vacate(each.taken);
          noteOccupied(occupy, -each.taken);
        }
      }
    }
  }

  private void noteOccupied(FaultRule.Occupy rule, long bytes) {
    if (bytes != 0) {
      driver.occupied(rule.device(), bytes);
    }
  }

  /** Ends a rule that cannot apply any more. */
  private void end(ActiveRule rule) {
    active.remove(rule);
    if (!rule.used) {
      missed.add(rule.rule);
    }
  }

  @Override
  public FaultInjector inject(FaultPlan plan) {
    Objects.requireNonNull(plan, "plan");
    // Outside the monitor, which is taken under the backend's lock and not the other way round.
    for (FaultRule rule : plan.rules()) {
      requirePlace(rule);
    }
    synchronized (this) {
      for (FaultRule rule : plan.rules()) {
        add(rule);
      }
    }
    return this;
  }

  /** Refuses a rule about a device or stream that does not exist. */
  private void requirePlace(FaultRule rule) {
    if (rule instanceof FaultRule.Occupy occupy) {
      requireDevice(rule, occupy.device());
    } else if (rule instanceof FaultRule.Slow slow) {
      requirePlace(rule, slow.work().where());
    } else if (rule instanceof FaultRule.Hang hang) {
      requirePlace(rule, hang.work().where());
    } else if (rule instanceof FaultRule.Fail fail) {
      requirePlace(rule, fail.calls().where());
    }
  }

  private void requirePlace(FaultRule rule, Selection where) {
    if (where.device() >= 0) {
      requireDevice(rule, where.device());
    }
    if (where.stream() >= 0 && !driver.hasStream(where.device(), where.stream())) {
      throw new InvalidArgumentException(
          "device %s has no open stream 0x%x for the rule '%s'; inject it after the stream's creation"
              .formatted(where.device(), where.stream(), rule));
    }
  }

  private void requireDevice(FaultRule rule, int device) {
    if (device >= budgets.size()) {
      throw new InvalidArgumentException(
          "no device %s for the rule '%s': the simulator has %s, numbered from 0"
              .formatted(device, rule, budgets.size()));
    }
  }

  private void add(FaultRule rule) {
    active.add(new ActiveRule(rule, new SplittableRandom(SparseBytes.mix(seed + rules++))));
    idle = false;
  }

  @Override
  public synchronized FaultPlan getPlan() {
    return new FaultPlan(
        active.stream().filter(each -> !each.isRevoked).map(each -> each.rule).toList());
  }

  @Override
  public synchronized FaultPlan getUnused() {
    Stream<FaultRule> waiting = active.stream().filter(each -> !each.used).map(each -> each.rule);
    return new FaultPlan(Stream.concat(missed.stream(), waiting).toList());
  }

  @Override
  public synchronized FaultInjector clear() {
    missed.clear();
    // Memory of another process is released when time next passes.
    active.removeIf(each -> each.taken == 0);
    active.forEach(each -> each.isRevoked = true);
    return this;
  }

  @Override
  public FaultInjector endHangs() {
    synchronized (this) {
      List.copyOf(active).stream()
          .filter(each -> each.rule instanceof FaultRule.Hang)
          .forEach(this::end);
    }
    // Outside the monitor, which is taken under the backend's lock and not the other way round.
    driver.hangsEnded();
    return this;
  }

  @Override
  public synchronized long getInjected() {
    return injected;
  }

  /** The driver whose calls and work the faults concern. */
  public interface Driver {
    /** Returns whether a device has an open stream of a handle; called outside the monitor. */
    boolean hasStream(int device, long handle);

    /**
     * Notes that another process takes memory of a device, by ordinal, or returns it if negative;
     * never 0 bytes.
     */
    void occupied(int device, long bytes);

    /** Releases the work that rules made hang. */
    void hangsEnded();
  }

  /** A rule in force, with its counts and its random source. */
  private static final class ActiveRule {
    final FaultRule rule;
    private final SplittableRandom random;
    private long count;

    /** True if a call or work matched the rule, even if the random draw then spared it. */
    boolean used;

    /** Bytes that another process holds because of the rule. */
    long taken;

    /** True if the rule was cleared while another process held memory by it. */
    boolean isRevoked;

    ActiveRule(FaultRule rule, SplittableRandom random) {
      this.rule = rule;
      this.random = random;
    }

    /** Counts a matching call; returns whether it fails. */
    boolean hits(CallSelector calls, long number) {
      count++;
      boolean chosen =
          (calls.number() == 0 || calls.number() == number)
              && (calls.nth() == 0 || calls.nth() == count)
              && count % calls.every() == 0;
      return decides(chosen, calls.where().probability());
    }

    /** Returns whether no later call can match. */
    boolean isSpent(CallSelector calls, long number) {
      return (calls.number() > 0 && number >= calls.number())
          || (calls.nth() > 0 && count >= calls.nth());
    }

    /** Counts matching work; returns whether the rule applies to it. */
    boolean hits(WorkSelector work, Origin origin, long now) {
      boolean concerned = matches(work.where(), origin, now);
      return decides(concerned && ++count >= work.fromNth(), work.where().probability());
    }

    private boolean decides(boolean chosen, double probability) {
      used |= chosen;
      return chosen && (probability == 1 || random.nextDouble() < probability);
    }
  }

  /**
   * The planned fault of a piece of work: its duration is multiplied, then lengthened, or it never
   * ends.
   */
  public record PlannedFault(double factor, long extraNanos, boolean hangs) {
    /** No fault. */
    public static final PlannedFault NORMAL = new PlannedFault(1, 0, false);

    PlannedFault slower(double times, long longer) {
      // An infinite factor times 0 ns would not be 0 ns.
      double product = Math.min(Double.MAX_VALUE, factor * times);
      return new PlannedFault(product, Point.after(extraNanos, longer), hangs);
    }

    /** Returns the duration of work that takes {@code nanos} by itself. */
    public long duration(long nanos) {
      return Point.after(factor == 1 ? nanos : (long) (nanos * factor), extraNanos);
    }
  }
}
