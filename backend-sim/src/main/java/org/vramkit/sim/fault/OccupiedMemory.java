package org.vramkit.sim.fault;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;
import org.vramkit.sim.driver.FaultRule;
import org.vramkit.sim.memory.PhysicalBudget;

/** What another process holds, and when. Not safe for threads. */
final class OccupiedMemory {
  /** A rule in force, and how much the other process got. */
  private static final class Active {
    final FaultRule.Occupy rule;
    long until;
    boolean taken;
    long bytes;

    Active(FaultRule.Occupy rule) {
      this.rule = rule;
      this.until = rule.untilNanos();
    }
  }

  private final List<PhysicalBudget> budgets;
  private final OccupationListener listener;
  private final List<Active> rules = new ArrayList<>();
  private final List<FaultRule.Occupy> missed = new ArrayList<>();

  OccupiedMemory(List<PhysicalBudget> budgets, OccupationListener listener) {
    this.budgets = budgets;
    this.listener = listener;
  }

  void add(FaultRule.Occupy rule) {
    rules.add(new Active(rule));
  }

  /** Takes and gives back what is due. */
  void advanceTo(long now) {
    for (Iterator<Active> it = rules.iterator(); it.hasNext(); ) {
      Active active = it.next();
      PhysicalBudget budget = budgets.get(active.rule.device());
      if (!active.taken && now >= active.rule.fromNanos() && now < active.until) {
        active.taken = true;
        active.bytes = Math.min(active.rule.bytes(), budget.getFree());
        budget.occupy(active.bytes);
        tell(active.rule.device(), active.bytes);
      }
      if (now >= active.until) {
        if (!active.taken) {
          missed.add(active.rule);
        }
        budget.vacate(active.bytes);
        tell(active.rule.device(), -active.bytes);
        it.remove();
      }
    }
  }

  private void tell(int device, long bytes) {
    if (bytes != 0) {
      listener.occupied(device, bytes);
    }
  }

  List<FaultRule.Occupy> inForce() {
    return rules.stream().filter(active -> active.until > 0).map(active -> active.rule).toList();
  }

  /** Rules whose time has not come, or passed between two calls. */
  List<FaultRule.Occupy> unused() {
    return Stream.concat(
            missed.stream(),
            rules.stream().filter(active -> !active.taken).map(active -> active.rule))
        .toList();
  }

  /** Forgets what is planned; what is held goes back when time next passes. */
  void clear() {
    missed.clear();
    rules.removeIf(active -> !active.taken);
    rules.forEach(active -> active.until = 0);
  }
}
