package org.vramkit.sim.timeline;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.schedule.Schedule;
import org.vramkit.sim.schedule.ScheduleSearch;

/**
 * When queued work runs, and what the host's clock says. What work does to bytes (its effect) runs
 * on the thread whose call lets it run. Not safe for threads: the backend's lock guards it.
 */
public interface Timeline {

  /** The timeline of a schedule, at its start. */
  static Timeline of(Schedule schedule, long seed) {
    return switch (schedule.policy()) {
      case TIMED -> new TimedTimeline();
      case EAGER -> new SteppedTimeline(new Policies.Eager());
      case LAZY -> new SteppedTimeline(Policies::lazy);
      case REVERSE -> new SteppedTimeline(Policies::reverse);
      case RANDOM -> new SteppedTimeline(new Policies.Random(seed));
      case PRIORITIES -> new SteppedTimeline(new Policies.Priorities(seed, schedule.depth()));
      case STARVING -> new SteppedTimeline(new Policies.Starving(seed));
      case CHOSEN -> new SteppedTimeline(new Policies.Chosen(schedule.choices()));
    };
  }

  /** The host's virtual time in nanoseconds. */
  long now();

  /** Moves the host's clock, if the time is not past, by what a call of the host took. */
  void advanceTo(long time);

  /** The host lets time pass: work that has had its duration by then is done, on every schedule. */
  void pass(long time);

  /** The host makes a call: the device may have gone on since the last one. */
  void step();

  /** Whether any queued work is not done. */
  boolean isBusy();

  /** A new stream. */
  Lane newLane();

  /** The point before all work. */
  default Point start() {
    return Point.START;
  }

  /**
   * Queues work.
   *
   * @param after the end of its stream so far
   * @param nanos how long it takes, not negative
   * @param effect what it does; null for nothing that anybody could see
   * @param held whether it waits for {@link #release} too
   */
  Point submit(Lane lane, Point after, long nanos, @Nullable Runnable effect, boolean held);

  /**
   * Queues a call of the host.
   *
   * @param begin what begins it
   * @param onDemand whether it begins only when something needs it: a wait or a question about what
   *     comes after it, time that is passed explicitly, the end, or a wait that nothing else can
   *     end; otherwise as other work does
   * @return the point at which it has returned, which waits for {@link #release}
   */
  Point submitCall(Lane lane, Point after, long nanos, Runnable begin, boolean onDemand);

  /** The point at which both are reached. */
  Point join(Lane lane, Point one, Point other);

  /** Does something as soon as a point is reached; at once if it is. */
  void whenReached(Lane lane, Point point, Runnable effect);

  /** Lets held work go on; nothing if it was not held. */
  void release(Point held);

  /** The held work without which a point is not reached; {@link #start} if there is none. */
  default Point holder(Point point) {
    return point.needed(true);
  }

  /** Whether a point is not reached before a call of the host has begun that has not. */
  default boolean needsCall(Point point) {
    return point.needsCall();
  }

  /** Whether a point is reached; asking changes nothing. */
  boolean isReached(Point point);

  /** Whether a point is reached, and has been since the host last let time {@link #pass}. */
  boolean isOver(Point point);

  /** Whether the answers to questions are choices that a search goes through. */
  default boolean isExplored() {
    return false;
  }

  /** Answers the host's question whether a point is reached. */
  boolean ask(Point point);

  /**
   * The host waits for a point.
   *
   * @return false if it is not reached because of held work
   */
  boolean reach(Point point);

  /**
   * Runs a piece of queued work that nothing holds, while the host waits for one that is held.
   *
   * @return whether there was any
   */
  boolean proceed();

  /** Runs all queued work that nothing holds, without a choice: the order is nobody's matter. */
  void drain();

  /** A number that differs whenever work ran in another order; 0 where the clock decides it. */
  default long hash() {
    return 0;
  }

  /** The choices made, where they are listed: on a chosen schedule. */
  default List<ScheduleSearch.Choice> choices() {
    return List.of();
  }
}
