package org.vramkit.sim.timeline;

import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.schedule.ScheduleSearch;

/**
 * Virtual time. Whatever work waits for was submitted before it, so its start and end are known
 * when it is submitted, unless something is held. What it does to bytes is kept until the host's
 * clock passes its end, and then done in the order of ends: so work that is not ordered really
 * meets wrong bytes.
 */
final class TimedTimeline implements Timeline {
  private final PriorityQueue<Point> effects =
      new PriorityQueue<>(
          Comparator.<Point>comparingLong(point -> point.end)
              .thenComparingLong(point -> point.number));
  private long now;
  private long lastEnd;

  /** Points whose end cannot be told yet. */
  private long unknown;

  private long points;
  private int lanes;

  @Override
  public long now() {
    return now;
  }

  @Override
  public void advanceTo(long time) {
    now = Math.max(now, VirtualTime.bounded(time));
    while (!effects.isEmpty() && effects.peek().end <= now) {
      effects.remove().runEffect();
    }
  }

  @Override
  public void pass(long time) {
    advanceTo(time);
  }

  @Override
  public void step() {
    // The clock alone decides.
  }

  @Override
  public boolean isBusy() {
    return lastEnd > now || unknown > 0;
  }

  @Override
  public Lane newLane() {
    return new Lane(lanes++);
  }

  @Override
  public Point submit(Lane lane, Point after, long nanos, @Nullable Runnable effect, boolean held) {
    Point point = new Point(lane, ++points, nanos, effect);
    waitFor(point, after);
    if (held) {
      point.hold();
    }
    if (point.open == 0) {
      resolve(point);
    } else {
      unknown++;
    }
    return point;
  }

  @Override
  public Point join(Lane lane, Point one, Point other) {
    if (one.end != Point.UNKNOWN && other.end != Point.UNKNOWN) {
      return one.end >= other.end ? one : other;
    }
    Point point = new Point(lane, ++points, Point.NO_WORK, null);
    waitFor(point, one);
    waitFor(point, other);
    unknown++;
    return point;
  }

  @Override
  public void whenReached(Lane lane, Point point, Runnable effect) {
    if (point.end <= now) {
      effect.run();
    } else {
      submit(lane, point, 0, effect, false);
    }
  }

  private static void waitFor(Point point, Point other) {
    if (other.end == Point.UNKNOWN) {
      point.waitFor(other);
    } else {
      point.start = Math.max(point.start, other.end);
    }
  }

  /** Nothing is unknown any more: sets the end, and of all that waited for no other. */
  private void resolve(Point first) {
    Deque<Point> ready = new ArrayDeque<>();
    ready.add(first);
    for (Point point = ready.poll(); point != null; point = ready.poll()) {
      long end = point.endFrom(now);
      lastEnd = Math.max(lastEnd, end);
      for (Point waiting : point.reached(end)) {
        waiting.start = Math.max(waiting.start, end);
        if (--waiting.open == 0) {
          unknown--;
          ready.add(waiting);
        }
      }
      if (point.hasEffect()) {
        effects.add(point);
      }
    }
  }

  @Override
  public void release(Point held) {
    if (held.letGo()) {
      unknown--;
      resolve(held);
    }
  }

  @Override
  public boolean isReached(Point point) {
    return point.end <= now;
  }

  @Override
  public boolean ask(Point point) {
    return point.end <= now;
  }

  @Override
  public boolean reach(Point point) {
    if (point.end == Point.UNKNOWN) {
      return false;
    }
    advanceTo(point.end);
    return true;
  }

  @Override
  public boolean proceed() {
    if (effects.isEmpty()) {
      return false;
    }
    advanceTo(effects.peek().end);
    return true;
  }

  @Override
  public void drain() {
    while (!effects.isEmpty()) {
      advanceTo(effects.peek().end);
    }
  }

  @Override
  public long hash() {
    return 0;
  }

  @Override
  public List<ScheduleSearch.Choice> choices() {
    return List.of();
  }
}
