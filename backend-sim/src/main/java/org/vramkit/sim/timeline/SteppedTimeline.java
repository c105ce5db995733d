package org.vramkit.sim.timeline;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.stream.Stream;
import org.vramkit.sim.schedule.Schedule;
import org.vramkit.sim.schedule.ScheduleSearch;
import org.vramkit.sim.timeline.Point.Lane;

/**
 * Runs work one piece at a time, as a policy decides: between two calls of the host, or while the
 * host waits. Virtual time is kept as well: work ends one duration after the latest point that it
 * waited for, a wait of the host ends no earlier than its point, and time that the host lets pass
 * completes the work that ends in it.
 */
final class SteppedTimeline extends Timeline {
  private final StepPolicy policy;

  /** Work that waits for nothing, at most one piece of each stream, the oldest first. */
  private final List<Point> ready = new ArrayList<>();

  /** Host functions that can begin once needed, the oldest first. */
  private final List<Point> calls = new ArrayList<>();

  /** The number of unfinished pieces of work. */
  private long open;

  private long hash;

  SteppedTimeline(StepPolicy policy) {
    this.policy = policy;
  }

  @Override
  void runUntil(long time) {
    advanceTo(time);
    List<Point> over = over();
    while (!over.isEmpty()) {
      run(policy.whileWaiting(over, over.get(0)));
      over = over();
    }
  }

  @Override
  public boolean isExplored() {
    return policy.isExplored();
  }

  /** Returns the work whose duration has elapsed. */
  private List<Point> over() {
    return Stream.concat(ready.stream(), callable().stream())
        .filter(point -> point.earliestEnd() <= now)
        .toList();
  }

  @Override
  public void step() {
    while (!ready.isEmpty()) {
      Point next = policy.betweenCalls(ready);
      if (next == null) {
        return;
      }
      run(next);
    }
  }

  @Override
  public boolean isBusy() {
    return open > 0;
  }

  @Override
  public Point join(Lane lane, Point one, Point other) {
    if (one.hasEnd() || one == other) {
      return other;
    }
    if (other.hasEnd()) {
      return one;
    }
    Point point = newPoint(lane, Point.NO_WORK, null);
    point.comeAfter(one);
    point.comeAfter(other);
    return point;
  }

  @Override
  public void whenReached(Lane lane, Point point, Runnable effect) {
    if (point.hasEnd()) {
      effect.run();
    } else {
      Point next = newPoint(lane, Point.NO_WORK, effect);
      next.comeAfter(point);
    }
  }

  @Override
  void added(Point point) {
    open += point.isWork() ? 1 : 0;
    if (point.open == 0) {
      begin(point);
    }
  }

  /**
   * Offers a point that waits for nothing to the policy; a point without work is reached at once.
   */
  private void begin(Point point) {
    if (point.isWork()) {
      offer(point);
    } else {
      finish(point);
    }
  }

  private void offer(Point work) {
    (work.onDemand ? calls : ready).add(work);
  }

  private void run(Point point) {
    (point.onDemand ? calls : ready).remove(point);
    hash = (hash ^ point.number) * 1099511628211L;
    finish(point);
  }

  /** Marks a point as reached, and all points without work that waited only for it. */
  private void finish(Point first) {
    Deque<Point> reached = new ArrayDeque<>();
    reached.add(first);
    for (Point point = reached.poll(); point != null; point = reached.poll()) {
      open -= point.isWork() ? 1 : 0;
      List<Point> waiting = point.reached(point.earliestEnd());
      point.runEffect();
      for (Point next : waiting) {
        next.start = Math.max(next.start, point.end);
        if (--next.open == 0) {
          if (next.isWork()) {
            offer(next);
          } else {
            reached.add(next);
          }
        }
      }
    }
  }

  @Override
  public void release(Point held) {
    if (held.release()) {
      begin(held);
    }
  }

  @Override
  public boolean isReached(Point point) {
    return point.hasEnd();
  }

  @Override
  public boolean ask(Point point) {
    while (!point.hasEnd()) {
      List<Point> possible = calls.isEmpty() ? ready : possible(point.needed(false));
      Point next = possible.isEmpty() ? null : policy.beforeAnswer(possible);
      if (next == null) {
        break;
      }
      run(next);
    }
    if (!point.hasEnd() && ++point.queries >= Schedule.QUESTIONS) {
      boolean reached = reach(point);
      while (!reached && proceed()) {
        reached = reach(point);
      }
    }
    return point.hasEnd();
  }

  @Override
  public boolean proceed() {
    if (!ready.isEmpty()) {
      run(policy.whileWaiting(ready, ready.get(0)));
      return true;
    }
    if (!callable().isEmpty()) {
      run(calls.get(0));
      return true;
    }
    return false;
  }

  private List<Point> callable() {
    return areCallsHeld() ? List.of() : calls;
  }

  /**
   * Returns the work that may run when a piece of work is needed. A host function is included only
   * if it is the needed work.
   */
  private List<Point> possible(Point needed) {
    if (!needed.onDemand || areCallsHeld()) {
      return ready;
    }
    List<Point> possible = new ArrayList<>(ready);
    possible.add(needed);
    return possible;
  }

  @Override
  public boolean reach(Point point) {
    while (!point.hasEnd()) {
      Point needed = point.needed(false);
      if (needed == Point.START || (needed.onDemand && areCallsHeld())) {
        return false;
      }
      run(policy.whileWaiting(possible(needed), needed));
    }
    now = Math.max(now, point.end);
    return true;
  }

  @Override
  public boolean runBefore(Point point) {
    while (!point.hasEnd()) {
      Point needed = point.needed(false);
      if (needed == Point.START || needed.onDemand) {
        return false;
      }
      run(policy.whileWaiting(ready, needed));
    }
    return true;
  }

  @Override
  public void drain() {
    while (!ready.isEmpty() || !callable().isEmpty()) {
      run(ready.isEmpty() ? calls.get(0) : ready.get(0));
    }
  }

  @Override
  public long hash() {
    return hash;
  }

  @Override
  public List<ScheduleSearch.Choice> choices() {
    return policy.choices();
  }
}
