package org.vramkit.sim.check.thread;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.check.order.GateOrder;
import org.vramkit.sim.check.report.Found;
import org.vramkit.sim.check.report.Operation;
import org.vramkit.sim.check.report.Reporter;

/**
 * Reports that stand unless a thread is just ending: whoever waits for the end of an executor goes
 * on a moment before its threads are over. They are decided before the call in which they came up
 * returns, so that nothing which the program does next changes the verdict. Guarded by the
 * backend's lock, but for the question whether there are any.
 */
public final class PendingReports {
  /** A report, and those who may clear the access of it. */
  public record Pending(Found found, Witnesses witnesses) {}

  /** What one access of a thread is accused of: the first report that stands is given. */
  private record Case(Thread thread, List<Pending> pending) {}

  private final Reporter reporter;
  private final List<Case> open = new ArrayList<>();
  private volatile boolean any;

  public PendingReports(Reporter reporter) {
    this.reporter = reporter;
  }

  /** Whether a report is in doubt, on any thread; needs no lock. */
  public boolean exist() {
    return any;
  }

  /**
   * One access of the calling thread is accused of these, of which the first that stands counts.
   * What waits for a gate is not decided before that is opened, because whoever opens it may know
   * the other access to be done.
   */
  public void add(List<Pending> pending) {
    if (pending.isEmpty() || reporter.isMuted()) {
      return;
    }
    GateOrder gate = closedGate(pending.get(0));
    if (gate == null) {
      decideSoon(pending);
    } else {
      gate.keep(() -> reconsider(pending));
    }
  }

  private static @Nullable GateOrder closedGate(Pending doubt) {
    Operation earlier = doubt.found().earlier();
    Operation later = doubt.found().later();
    GateOrder gate = later == null ? null : later.closedGate();
    return gate == null && earlier != null ? earlier.closedGate() : gate;
  }

  /** A gate was opened that one of these accesses waits for. */
  private void reconsider(List<Pending> pending) {
    add(pending.stream().filter(doubt -> !isGated(doubt)).toList());
  }

  private static boolean isGated(Pending doubt) {
    Operation earlier = doubt.found().earlier();
    Operation later = doubt.found().later();
    return earlier != null
        && later != null
        && (later.isGatedAfter(earlier) || earlier.isGatedAfter(later));
  }

  private void decideSoon(List<Pending> pending) {
    Pending first = pending.get(0);
    if (first.witnesses().isEmpty()) {
      reporter.add(first.found());
    } else {
      open.add(new Case(Thread.currentThread(), new ArrayList<>(pending)));
      any = true;
    }
  }

  /** Decides the calling thread's; gives a thread that may be ending, null once all is decided. */
  public @Nullable Thread decide() {
    Thread waitedFor = null;
    for (Case each : ofCaller()) {
      Thread undecided = decide(each);
      if (undecided == null) {
        open.remove(each);
      } else {
        waitedFor = undecided;
      }
    }
    any = !open.isEmpty();
    return waitedFor;
  }

  private @Nullable Thread decide(Case accused) {
    while (!accused.pending.isEmpty()) {
      Pending doubt = accused.pending.get(0);
      if (doubt.witnesses().haveEnded()) {
        accused.pending.remove(0);
        continue;
      }
      Thread undecided = doubt.witnesses().nextUndecided();
      if (undecided == null) {
        reporter.give(doubt.found());
      }
      return undecided;
    }
    return null;
  }

  /** What is still in doubt of the calling thread's stands: nobody has ended in due time. */
  public void letStand() {
    for (Case each : ofCaller()) {
      open.remove(each);
      if (!each.pending.isEmpty()) {
        reporter.give(each.pending.get(0).found());
      }
    }
    any = !open.isEmpty();
  }

  private List<Case> ofCaller() {
    return open.stream().filter(each -> each.thread.equals(Thread.currentThread())).toList();
  }
}
