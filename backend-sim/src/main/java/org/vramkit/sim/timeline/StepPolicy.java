package org.vramkit.sim.timeline;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.schedule.ScheduleSearch;

/** Who runs next. The lists of work that may run are never empty, the oldest first. */
@FunctionalInterface
interface StepPolicy {
  /** What runs before the host's next call; null for nothing more. */
  default @Nullable Point betweenCalls(List<Point> ready) {
    return null;
  }

  /** What runs before a question of the host is answered; null for nothing more. */
  default @Nullable Point beforeAnswer(List<Point> ready) {
    return null;
  }

  /** What runs while the host waits; the wait cannot end without the needed one of these. */
  Point whileWaiting(List<Point> ready, Point needed);

  /** Returns whether a search goes through all choices, those before answers too. */
  default boolean isExplored() {
    return false;
  }

  /** The choices made, if they are listed. */
  default List<ScheduleSearch.Choice> choices() {
    return List.of();
  }
}
