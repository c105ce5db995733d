package org.vramkit.sim.fault;

import java.util.SplittableRandom;
import org.vramkit.sim.driver.CallSelector;
import org.vramkit.sim.driver.FaultRule;
import org.vramkit.sim.driver.WorkSelector;

/** A rule in force: what it has counted and done, and its own source of chance. */
final class ActiveRule {
  final FaultRule rule;
  private final SplittableRandom random;
  private long count;

  /** True if something has come that it chooses, be it that chance then let it go. */
  boolean used;

  /** Bytes that another process holds by it. */
  long taken;

  /** True if it was cleared while another process holds memory by it. */
  boolean isRevoked;

  ActiveRule(FaultRule rule, SplittableRandom random) {
    this.rule = rule;
    this.random = random;
  }

  /** Counts a call that it concerns; whether that fails. */
  boolean hits(CallSelector calls, long number) {
    count++;
    boolean chosen =
        (calls.number() == 0 || calls.number() == number)
            && (calls.nth() == 0 || calls.nth() == count)
            && count % calls.every() == 0;
    return decides(chosen, calls.probability());
  }

  /** Returns whether no later call can be hit. */
  boolean isSpent(CallSelector calls, long number) {
    return (calls.number() > 0 && number >= calls.number())
        || (calls.nth() > 0 && count >= calls.nth());
  }

  /** Counts work if it concerns that; whether something happens to it. */
  boolean hits(WorkSelector work, int device, long stream, long now) {
    boolean concerned =
        (work.device() < 0 || work.device() == device)
            && (work.stream() < 0 || work.stream() == stream)
            && now >= work.fromNanos()
            && now < work.untilNanos();
    return decides(concerned && ++count >= work.fromNth(), work.probability());
  }

  private boolean decides(boolean chosen, double probability) {
    used |= chosen;
    return chosen && (probability == 1 || random.nextDouble() < probability);
  }
}
