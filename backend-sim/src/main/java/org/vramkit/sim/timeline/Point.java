package org.vramkit.sim.timeline;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A point of a stream: a piece of work, or a place where the stream waits for others. A point is
 * reached when all points before it are reached and its work is complete. A reached point keeps no
 * earlier point reachable.
 */
public final class Point {
  /** The end of a point whose end is unknown. */
  static final long UNKNOWN = Long.MAX_VALUE;

  /** The last moment of virtual time, some 292 years after its start. */
  static final long END = UNKNOWN - 1;

  /** The duration of a point without work, which is reached as soon as possible. */
  static final long NO_WORK = -1;

  private static final Point[] NOTHING = {};

  /** The point before all submissions. */
  public static final Point START = new Point(new Lane(-1), 0, 0, null);

  static {
    START.end = 0;
  }

  final Lane lane;
  final long number;
  final long nanos;

  /** The effect of the work; null once it has run. */
  private @Nullable Runnable effect;

  /** Unreached points that this one waits for. */
  Point[] after = NOTHING;

  @Nullable List<Point> dependents;

  /** The number of unreached points that this one waits for, plus 1 while it is held. */
  int open;

  long start;
  long end = UNKNOWN;

  /** True if this point also waits for {@link Timeline#release}. */
  boolean held;

  /** True for a host function, which runs only when something needs it. */
  boolean onDemand;

  /** The host function whose return this point marks; null if it marks none. */
  @Nullable Point call;

  /** The number of queries answered with no. */
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

  /** Returns the virtual time at which this point was reached; -1 if it was not. */
  public long getEndNanos() {
    return hasEnd() ? end : -1;
  }

  boolean isWork() {
    return nanos != NO_WORK;
  }

  /**
   * Returns whether this point was reached by a time, and created no later than the point number
   * {@code latest}.
   */
  boolean wasReachedBy(long time, long latest) {
    return end <= time && number <= latest;
  }

  /** Returns the time at which this point is reached if nothing else delays it. */
  long earliestEnd() {
    return after(start, Math.max(0, nanos));
  }

  /** Returns the held work that this point needs; {@link #START} if there is none. */
  public Point holder() {
    return needed(true);
  }

  /**
   * Returns work that this point needs: held work that only waits for its release, if that is
   * wanted, else work that can begin. Returns {@link #START} if there is none.
   */
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

  /** Returns whether this point needs a host function that has not begun. */
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

  /** Releases this point; returns whether it then waits for nothing else. */
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

  /** Marks this point as reached, and returns the points that waited for it. */
  List<Point> reached(long time) {
    end = time;
    after = NOTHING;
    List<Point> waiting = dependents == null ? List.of() : dependents;
    dependents = null;
    return waiting;
  }

  /**
   * Returns the time {@code nanos} after another, or the sum of two durations, for arguments of 0
   * or more. The result is limited to {@link #END} and does not overflow.
   */
  public static long after(long time, long nanos) {
    return time >= END - nanos ? END : time + nanos;
  }

  /** Identifies the stream of a point. */
  public static final class Lane {
    /** The number in the order of creation, from 0. */
    final int number;

    /** The number of the latest point at which the driver waited for all work of the stream. */
    long waited;

    Lane(int number) {
      this.number = number;
    }

    @Override
    public String toString() {
      return "lane " + number;
    }
  }
}
