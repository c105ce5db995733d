package org.vramkit.sim.timeline;

import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.timeline.Timeline.Lane;

/**
 * Virtual time. Whatever work waits for was submitted before it, so its start and end are known
 * when it is submitted, unless something is held. What it does to bytes is kept until the host's
 * clock passes its end, and then done in the order of ends: so work that is not ordered really
 * meets wrong bytes.
 */
final class TimedTimeline extends Timeline {
  private static final Comparator<Point> BY_END =
      Comparator.<Point>comparingLong(point -> point.end).thenComparingLong(point -> point.number);

  private final PriorityQueue<Point> effects = new PriorityQueue<>(BY_END);

  /** Calls of the host that were not needed yet. */
  private final PriorityQueue<Point> calls = new PriorityQueue<>(BY_END);

  private long lastEnd;

  /** Points whose end cannot be told yet. */
  private long unknown;

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

  /** Begins a call of the host, when the clock has come to it. */
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

  /** Nothing is unknown any more: sets the end, and of all that waited for no other. */
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
      // The host lets it go now; a call has returned as soon as its stream came to it.
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
      // What holds it otherwise, one of the others may let go.
      Point call = needed == null ? calls.element() : needed;
      if (call.end > now) {
        break;
      }
      call(call);
      advanceTo(now);
    }
    return point.end <= now;
  }

  /** The call of the host that has not begun and without which a point is not reached. */
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
