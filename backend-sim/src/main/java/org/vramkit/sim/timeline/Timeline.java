package org.vramkit.sim.timeline;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.schedule.Schedule;
import org.vramkit.sim.schedule.ScheduleSearch;
import org.vramkit.sim.timeline.Point.Lane;

/**
 * Decides when queued work runs, and keeps the host's clock. The effects of work on bytes run on
 * the thread whose call lets them run. Not thread-safe; the backend's lock guards the timeline.
 */
public abstract class Timeline {
  long now;

  /** The time to which {@link #pass} has advanced; -1 before its first call. */
  private long passed = -1;

  /** The number of points that existed at the last {@link #pass}. */
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

  /** Advances the host's clock to a time; does nothing if that is past. */
  public void advanceTo(long time) {
    now = Math.max(now, Math.min(time, Point.END));
  }

  /**
   * Lets the host pass time until a moment. Work whose duration has elapsed is then complete, on
   * every schedule.
   */
  public final void pass(long time) {
    runUntil(Math.min(time, Point.END));
    passed = now;
    passedPoints = points;
  }

  /** Advances the host's clock, and runs work whose duration has elapsed. */
  abstract void runUntil(long time);

  /** Lets the device proceed before a call of the host. */
  public void step() {
    // Nothing to do where the clock alone decides.
  }

  public abstract boolean isBusy();

  public final Lane newLane() {
    return new Lane(lanes++);
  }

  /**
   * Queues work after the last point of its stream.
   *
   * @param nanos its duration, not negative
   * @param effect its effect on bytes; null if there is none
   * @param held whether it also waits for {@link #release}
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
   * Queues a host function. Returns the point of its return, which waits for {@link #release}.
   *
   * @param onDemand whether it begins only when something needs it: a wait or query of later work,
   *     explicitly passed time, the end of the run, or a wait that nothing else can end; otherwise
   *     it begins like other work
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

  /** Keeps host functions on demand from beginning, or lets them begin. */
  public final void holdCalls(boolean held) {
    callsHeld = held;
  }

  final boolean areCallsHeld() {
    return callsHeld;
  }

  final Point newPoint(Lane lane, long nanos, @Nullable Runnable effect) {
    return new Point(lane, ++points, nanos, effect);
  }

  /** Adds a point, which begins at the present time or, if it waits for others, after these. */
  private void submitted(Point point) {
    point.start = Math.max(point.start, now);
    added(point);
  }

  /** Adds a point; it waits for nothing if its {@code open} is 0. */
  abstract void added(Point point);

  /** Returns the point at which both points are reached. */
  public abstract Point join(Lane lane, Point one, Point other);

  /** Runs an effect as soon as a point is reached, at once if it is. */
  public abstract void whenReached(Lane lane, Point point, Runnable effect);

  /** Releases held work; does nothing if it was not held. */
  public abstract void release(Point held);

  public abstract boolean isReached(Point point);

  /**
   * Returns whether a point was reached when the host last let time {@link #pass}, or when the
   * driver last waited for its stream.
   */
  public final boolean isOver(Point point) {
    return point.number <= point.lane.waited || point.wasReachedBy(passed, passedPoints);
  }

  /** Returns the number of the latest point. */
  public final long latest() {
    return points;
  }

  /** Notes that the driver has waited for the end that a stream had at the point {@code latest}. */
  public final void waited(Lane lane, Point end, long latest) {
    lane.waited = Math.max(lane.waited, latest);
    end.lane.waited = Math.max(end.lane.waited, end.number);
  }

  /** Returns whether virtual time alone decides the order of work. */
  public boolean isTimed() {
    return false;
  }

  /** Returns whether a search tries all answers to queries. */
  public boolean isExplored() {
    return false;
  }

  /** Answers a query of the host whether a point is reached, and may run work before. */
  public abstract boolean ask(Point point);

  /** Lets the host wait for a point; returns false if held work prevents it. */
  public abstract boolean reach(Point point);

  /**
   * Runs what a point needs without letting the host wait for it; returns false if held work or a
   * host function prevents it.
   */
  public abstract boolean runBefore(Point point);

  /**
   * Runs work that nothing holds, while the host waits for held work; returns whether there was
   * any.
   */
  public abstract boolean proceed();

  /** Runs all queued work that nothing holds, in a fixed order. */
  public abstract void drain();

  /** Returns a number that depends on the order of the work; 0 if the clock decides it. */
  public long hash() {
    return 0;
  }

  /** Returns the choices of a chosen schedule. */
  public List<ScheduleSearch.Choice> choices() {
    return List.of();
  }
}
