package org.vramkit.sim;

import org.vramkit.sim.check.Checker;
import org.vramkit.sim.check.Snapshot;
import org.vramkit.sim.schedule.Schedule;
import org.vramkit.sim.timeline.Point;

/**
 * The questions that a program asks about one piece of work. A device may always be slower, so the
 * answer is no until the program has asked often enough, whether the schedule has run the work or
 * not: else one that does not wait for a yes would be right on some schedules. Work that it knows
 * to be done, or that has had its time, is done on all of them. Guarded by the backend's lock.
 */
final class CompletionQueries {
  /** How often it has asked; 0 again for other work. */
  int asked;

  /** Answers one; the snapshot is what comes before the point. */
  boolean ask(Engine engine, Point point, Snapshot before) {
    Checker checker = engine.checker;
    if (checker.isInPool() && engine.functions.isAwaitedAt(point)) {
      // A function that began would belong to every thread: for a pool's question none does.
      return false;
    }
    if (engine.isClosed() || checker.isInPool() || engine.timeline.isExplored()) {
      // Pools are told the truth: what they learn is theirs. A search tries both answers.
      return engine.ask(point);
    }
    if (engine.timeline.isReached(point)
        && (checker.isKnownToProgram(before) || engine.timeline.isOver(point))) {
      return true;
    }
    return ++asked >= Schedule.QUESTIONS && engine.runUntilReached(point);
  }
}
