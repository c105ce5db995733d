package org.vramkit.sim.timeline;

import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.timeline.Point.Lane;

/**
 * Runs work in virtual time. Work is submitted after everything that it waits for, so its start and
 * end are known at once, unless a gate or fault holds something. Its effect on bytes runs when the
 * host's clock passes its end, in the order of ends, so that unordered work really reads wrong
 * bytes.
 */
final class TimedTimeline extends Timeline {
  private static final Comparator<Point> BY_END = TimedTimeline::compareEnds;

  private final PriorityQueue<Point> effects = new PriorityQueue<>(BY_END);

  /** Host functions that begin only when needed, and have not begun. */
  private final PriorityQueue<Point> calls = new PriorityQueue<>(BY_END);

  private long lastEnd;

  /** The number of points whose end is unknown. */
  private long unknown;

  private static int compareEnds(Point one, Point other) {
    return one.end == other.end
        ? Long.compare(one.number, other.number)
        : Long.compare(one.end, other.end);
  }

  @Override
  public void advanceTo(long time) {
    super.advanceTo(time);
    while (!effects.isEmpty() && effects.peek().end <= now) {
      effects.remove().runEffect();
    }
  }

  @Override
  void runUntil(long time) {
    while (!calls.isEmpty() && calls.peek().end <= time && !areCallsHeld()) {
      call(calls.element());
    }
    advanceTo(time);
  }

  /** Advances the clock to the time of a host function, and begins it. */
  private void call(Point call) {
    advanceTo(call.end);
    calls.remove(call);
    call.runEffect();
  }

  @Override
  public boolean isBusy() {
    return lastEnd > now || unknown > 0;
  }

  @Override
  void added(Point point) {
    if (point.open == 0) {
      resolve(point);
    } else {
      unknown++;
    }
  }

  @Override
  public Point join(Lane lane, Point one, Point other) {
    if (one.hasEnd() && other.hasEnd()) {
      return one.end >= other.end ? one : other;
    }
    Point point = newPoint(lane, Point.NO_WORK, null);
    point.comeAfter(one);
    point.comeAfter(other);
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

  /** Sets the end of a point, and of all points that waited only for it. */
  private void resolve(Point first) {
    Deque<Point> ready = new ArrayDeque<>();
    ready.add(first);
    for (Point point = ready.poll(); point != null; point = ready.poll()) {
      long end = point.earliestEnd();
      lastEnd = Math.max(lastEnd, end);
      for (Point waiting : point.reached(end)) {
        waiting.start = Math.max(waiting.start, end);
        if (--waiting.open == 0) {
          unknown--;
          ready.add(waiting);
        }
      }
      if (point.hasEffect()) {
        (point.onDemand ? calls : effects).add(point);
      }
    }
  }

  @Override
  public void release(Point held) {
    if (held.call == null) {
      // Held work starts now; a host function has returned when its stream reached it.
      held.start = Math.max(held.start, now);
    }
    if (held.release()) {
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
    while (!point.hasEnd() && !calls.isEmpty() && !areCallsHeld()) {
      Point needed = neededCall(point);
      // If no function holds the point, any function may release it.
      Point call = needed == null ? calls.element() : needed;
      if (call.end > now) {
        break;
      }
      call(call);
      advanceTo(now);
    }
    return point.end <= now;
  }

  /** Returns the host function that a point needs and that has not begun; null if there is none. */
  private @Nullable Point neededCall(Point point) {
    Point call = areCallsHeld() ? null : point.needed(true).call;
    return call != null && call.hasEffect() ? call : null;
  }

  @Override
  public boolean reach(Point point) {
    while (!point.hasEnd()) {
      Point call = neededCall(point);
      if (call == null) {
        return false;
      }
      call(call);
    }
    advanceTo(point.end);
    return true;
  }

  @Override
  public boolean isTimed() {
    return true;
  }

  /** Runs what ends by the time at which work behind the point begins. */
  @Override
  public boolean runBefore(Point point) {
    if (!point.hasEnd()) {
      return false;
    }
    long begin = Math.max(now, point.end);
    while (!effects.isEmpty() && effects.peek().end <= begin) {
      effects.remove().runEffect();
    }
    return true;
  }

  @Override
  public boolean proceed() {
    Point call = areCallsHeld() ? null : calls.peek();
    Point effect = effects.peek();
    if (call != null && (effect == null || BY_END.compare(call, effect) < 0)) {
      call(call);
    } else if (effect != null) {
      advanceTo(effect.end);
    }
    return call != null || effect != null;
  }

  @Override
  public void drain() {
    while (proceed()) {
      // Until nothing is left.
    }
  }
}
