package org.vramkit.sim;

import org.vramkit.sim.check.Checker;
import org.vramkit.sim.check.Snapshot;
import org.vramkit.sim.schedule.Schedule;
import org.vramkit.sim.timeline.Point;

/**
 * Answers queries of one piece of work. A device may always be slower, so the answer is no until
 * the program has asked often enough, even if the schedule has run the work. Otherwise a program
 * that does not wait for a positive answer would be right on some schedules. Work that the program
 * knows to be done, or whose time has passed, is done on all schedules. Guarded by the backend's
 * lock.
 */
final class CompletionQueries {
  /** The number of queries of the current work. */
  int asked;

  /** Answers a query; {@code before} is the stream's clock at the point. */
  boolean ask(Engine engine, Point point, Snapshot before) {
    Checker checker = engine.checker;
    if (checker.isInPool() && engine.functions.isAwaitedAt(point)) {
      // All threads would learn from a function that begins, so a pool's query starts none.
      return false;
    }
    if (engine.isClosed() || checker.isInPool() || engine.timeline.isExplored()) {
      // Pools get the real state, because only they learn it. A search tries both answers.
      return engine.ask(point);
    }
    if (engine.timeline.isReached(point)
        && (checker.isKnownToProgram(before) || engine.timeline.isOver(point))) {
      return true;
    }
    return ++asked >= Schedule.QUESTIONS && engine.runUntilReached(point);
  }
}
