package org.vramkit.sim.fault;

import java.util.List;
import java.util.SplittableRandom;
import java.util.function.ObjLongConsumer;
import org.vramkit.sim.driver.FaultRule;
import org.vramkit.sim.memory.PhysicalBudget;

/** What another process holds, and when. */
final class OccupiedMemory extends ActiveRules<FaultRule.Occupy, OccupiedMemory.Holding> {
  /** A rule is used once its memory was taken. */
  static final class Holding extends ActiveRules.Active<FaultRule.Occupy> {
    private long until;

    /** How much the other process got. */
    private long bytes;

    private Holding(FaultRule.Occupy rule, SplittableRandom random) {
      super(rule, random);
      this.until = rule.untilNanos();
    }
  }

  private final List<PhysicalBudget> budgets;
  private final ObjLongConsumer<Integer> listener;

  OccupiedMemory(List<PhysicalBudget> budgets, ObjLongConsumer<Integer> listener) {
    this.budgets = budgets;
    this.listener = listener;
  }

  void add(FaultRule.Occupy rule, SplittableRandom random) {
    rules.add(new Holding(rule, random));
  }

  void advanceTo(long now) {
    for (Holding active : List.copyOf(rules)) {
      PhysicalBudget budget = budgets.get(active.rule.device());
      if (!active.used && now >= active.rule.fromNanos() && now < active.until) {
        active.used = true;
        active.bytes = Math.min(active.rule.bytes(), budget.getFree());
        budget.occupy(active.bytes);
        tell(active.rule.device(), active.bytes);
      }
      if (now >= active.until) {
        end(active);
        budget.vacate(active.bytes);
        tell(active.rule.device(), -active.bytes);
      }
    }
  }

  private void tell(int device, long bytes) {
    if (bytes != 0) {
      listener.accept(device, bytes);
    }
  }

  @Override
  List<FaultRule.Occupy> inForce() {
    return rules.stream().filter(active -> active.until > 0).map(active -> active.rule).toList();
  }

  /** Forgets what is planned; what is held goes back when time next passes. */
  @Override
  void clear() {
    List<Holding> held = rules.stream().filter(active -> active.used).toList();
    super.clear();
    held.forEach(active -> active.until = 0);
    rules.addAll(held);
  }
}
