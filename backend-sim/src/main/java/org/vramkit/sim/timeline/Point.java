package org.vramkit.sim.timeline;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.timeline.Timeline.Lane;

/**
 * A point of a stream: a piece of work, or a place where it waits for others. Reached when all that
 * it comes after is reached and its work is done. Holds nothing of the past once it is reached.
 */
public final class Point {
  /** The end of what cannot be told yet. */
  static final long UNKNOWN = Long.MAX_VALUE;

  /** The last moment of virtual time, some 292 years after its start. */
  static final long END = UNKNOWN - 1;

  /** The duration of what takes no step of its own: reached as soon as it can be. */
  static final long NO_WORK = -1;

  private static final Point[] NOTHING = {};

  /** Reached before anything was submitted. */
  public static final Point START = new Point(new Lane(-1), 0, 0, null);

  static {
    START.end = 0;
  }

  final Lane lane;
  final long number;
  final long nanos;

  /** What it does; null once that is done. */
  private @Nullable Runnable effect;

  /** Points that are not reached and that this one waits for. */
  Point[] after = NOTHING;

  @Nullable List<Point> dependents;

  /** How many reasons there are not to begin. */
  int open;

  long start;
  long end = UNKNOWN;

  /** True if it also waits for somebody to let it go. */
  boolean held;

  /** True if it is a call of the host, which runs only when something needs it. */
  boolean onDemand;

  /** The call of the host whose return it is; null for any other point. */
  @Nullable Point call;

  /** How often the host was told that it is not reached. */
  int queries;

  Point(Lane lane, long number, long nanos, @Nullable Runnable effect) {
    this.lane = lane;
    this.number = number;
    this.nanos = nanos;
    this.effect = effect;
  }

  boolean hasEffect() {
    return effect != null;
  }

  void runEffect() {
    Runnable todo = effect;
    effect = null;
    if (todo != null) {
      todo.run();
    }
  }

  boolean hasEnd() {
    return end != UNKNOWN;
  }

  boolean isWork() {
    return nanos != NO_WORK;
  }

  /** Returns whether it was reached by some time, and made before some other point. */
  boolean wasReachedBy(long time, long latest) {
    return end <= time && number <= latest;
  }

  /** When it is reached if nothing else delays it. */
  long earliestEnd() {
    return after(start, Math.max(0, nanos));
  }

  /** The held work without which this point is not reached; {@link #START} if there is none. */
  public Point holder() {
    return needed(true);
  }

  /** Work that can begin, or is only held, and without which this point is not reached. */
  Point needed(boolean wantsHeld) {
    Deque<Point> found = new ArrayDeque<>();
    found.add(this);
    for (Point point = found.poll(); point != null; point = found.poll()) {
      if (wantsHeld ? point.held && point.open == 1 : point.open == 0) {
        return point;
      }
      for (Point earlier : point.after) {
        if (!earlier.hasEnd()) {
          found.addFirst(earlier);
        }
      }
    }
    return START;
  }

  /** Returns whether it is not reached before a call of the host has begun that has not. */
  public boolean needsCall() {
    Set<Point> seen = new HashSet<>();
    Deque<Point> found = new ArrayDeque<>(List.of(this));
    for (Point point = found.poll(); point != null; point = found.poll()) {
      if (!point.hasEnd() && seen.add(point)) {
        if (point.call != null && point.call.hasEffect()) {
          return true;
        }
        found.addAll(Arrays.asList(point.after));
      }
    }
    return false;
  }

  void hold() {
    held = true;
    open++;
  }

  /** Lets it go; says whether it then waits for nothing else. */
  boolean release() {
    if (!held) {
      return false;
    }
    held = false;
    return --open == 0;
  }

  void comeAfter(Point other) {
    if (other.hasEnd()) {
      start = Math.max(start, other.end);
      return;
    }
    List<Point> list = other.dependents;
    if (list == null) {
      list = new ArrayList<>(2);
      other.dependents = list;
    }
    list.add(this);
    after = Arrays.copyOf(after, after.length + 1);
    after[after.length - 1] = other;
    open++;
  }

  /** Ends it, and returns those that waited for it. */
  List<Point> reached(long time) {
    end = time;
    after = NOTHING;
    List<Point> waiting = dependents == null ? List.of() : dependents;
    dependents = null;
    return waiting;
  }

  /**
   * Returns the moment so many nanoseconds after another, or the sum of two durations; not
   * negative. What would be later than the end of time is at its end, so that no duration turns
   * into one that is past.
   */
  public static long after(long time, long nanos) {
    return time >= END - nanos ? END : time + nanos;
  }
}
