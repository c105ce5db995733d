package org.vramkit.sim.timeline;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.schedule.Schedule;
import org.vramkit.sim.schedule.ScheduleSearch;

/**
 * When queued work runs, and what the host's clock says. What work does to bytes (its effect) runs
 * on the thread whose call lets it run. Not safe for threads: the backend's lock guards it.
 */
public abstract class Timeline {
  long now;

  /** Until when the host has let time pass, and the latest point by then. */
  private long passed = -1;

  private long passedPoints;
  private long points;
  private int lanes;
  private boolean callsHeld;

  Timeline() {}

  public static Timeline of(Schedule schedule, long seed) {
    return switch (schedule.policy()) {
      case TIMED -> new TimedTimeline();
      case EAGER -> new SteppedTimeline(new StepPolicy.Eager());
      case LAZY -> new SteppedTimeline(StepPolicy::lazy);
      case REVERSE -> new SteppedTimeline(StepPolicy::reverse);
      case RANDOM -> new SteppedTimeline(new StepPolicy.Random(seed));
      case PRIORITIES -> new SteppedTimeline(new StepPolicy.Priorities(seed, schedule.depth()));
      case STARVING -> new SteppedTimeline(new StepPolicy.Starving(seed));
      case CHOSEN -> new SteppedTimeline(new StepPolicy.Chosen(schedule.choices()));
    };
  }

  public final long now() {
    return now;
  }

  /** Moves the host's clock, if the time is not past, by what a call of the host took. */
  public void advanceTo(long time) {
    now = Math.max(now, Math.min(time, Point.END));
  }

  /** The host lets time pass: work that has had its duration by then is done, on every schedule. */
  public final void pass(long time) {
    runUntil(Math.min(time, Point.END));
    passed = now;
    passedPoints = points;
  }

  /** Moves the host's clock, and runs what has had its duration by then. */
  abstract void runUntil(long time);

  /** The host makes a call: the device may have gone on since the last one. */
  public void step() {
    // Where the clock alone decides.
  }

  public abstract boolean isBusy();

  public final Lane newLane() {
    return new Lane(lanes++);
  }

  /**
   * Queues work behind its stream so far.
   *
   * @param nanos how long it takes, not negative
   * @param effect what it does; null for nothing that anybody could see
   * @param held whether it waits for {@link #release} too
   */
  public final Point submit(
      Lane lane, Point after, long nanos, @Nullable Runnable effect, boolean held) {
    Point point = newPoint(lane, nanos, effect);
    point.comeAfter(after);
    if (held) {
      point.hold();
    }
    submitted(point);
    return point;
  }

  /**
   * Queues a call of the host, and gives the point at which it has returned, which waits for {@link
   * #release}.
   *
   * @param onDemand whether it begins only when something needs it: a wait or a question about what
   *     comes after it, time that is passed explicitly, the end, or a wait that nothing else can
   *     end; otherwise as other work does
   */
  public final Point submitCall(
      Lane lane, Point after, long nanos, Runnable begin, boolean onDemand) {
    Point call = newPoint(lane, nanos, begin);
    call.onDemand = onDemand;
    call.comeAfter(after);
    submitted(call);
    Point returned = newPoint(lane, Point.NO_WORK, null);
    returned.call = call;
    returned.comeAfter(call);
    returned.hold();
    submitted(returned);
    return returned;
  }

  /** Keeps calls of the host that are on demand from beginning, or lets them begin. */
  public final void holdCalls(boolean held) {
    callsHeld = held;
  }

  final boolean areCallsHeld() {
    return callsHeld;
  }

  final Point newPoint(Lane lane, long nanos, @Nullable Runnable effect) {
    return new Point(lane, ++points, nanos, effect);
  }

  /** A point was made that may begin now, or once it waits for nothing more. */
  private void submitted(Point point) {
    point.start = Math.max(point.start, now);
    added(point);
  }

  /** A point was made, and may wait for nothing. */
  abstract void added(Point point);

  /** The point at which both are reached. */
  public abstract Point join(Lane lane, Point one, Point other);

  /** Does something as soon as a point is reached; at once if it is. */
  public abstract void whenReached(Lane lane, Point point, Runnable effect);

  /** Lets held work go on; nothing if it was not held. */
  public abstract void release(Point held);

  public abstract boolean isReached(Point point);

  /**
   * Returns whether a point is reached, and has been since the host last let time {@link #pass}.
   */
  public final boolean isOver(Point point) {
    return point.wasReachedBy(passed, passedPoints);
  }

  /** Returns whether the answers to questions are choices that a search goes through. */
  public boolean isExplored() {
    return false;
  }

  /** Answers the host's question whether a point is reached. */
  public abstract boolean ask(Point point);

  /** The host waits for a point; false if held work keeps it from being reached. */
  public abstract boolean reach(Point point);

  /** Runs work that nothing holds, while the host waits for what is held; whether there was any. */
  public abstract boolean proceed();

  /** Runs all queued work that nothing holds, without a choice: the order is nobody's matter. */
  public abstract void drain();

  /** A number that differs whenever work ran in another order; 0 where the clock decides it. */
  public long hash() {
    return 0;
  }

  /** The choices made, where they are listed: on a chosen schedule. */
  public List<ScheduleSearch.Choice> choices() {
    return List.of();
  }

  /**
   * The work of one stream: its name to policies.
   *
   * @param number its number in the order of creation, from 0
   */
  public record Lane(int number) {}
}
