package org.vramkit.sim.timeline;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.memory.SparseBytes;
import org.vramkit.sim.schedule.ChoiceException;
import org.vramkit.sim.schedule.Schedule;
import org.vramkit.sim.schedule.ScheduleSearch;
import org.vramkit.sim.schedule.ScheduleSearch.Choice;

/**
 * Chooses the work that runs next. Lists of ready work are never empty and begin with the oldest.
 */
@FunctionalInterface
interface StepPolicy {
  /** Returns the work that runs before the host's next call; null for none. */
  default @Nullable Point betweenCalls(List<Point> ready) {
    return null;
  }

  /** Returns the work that runs before a query is answered; null for none. */
  default @Nullable Point beforeAnswer(List<Point> ready) {
    return null;
  }

  /**
   * Returns the work that runs while the host waits. {@code needed} is the ready work that the wait
   * needs.
   */
  Point whileWaiting(List<Point> ready, Point needed);

  /** Returns whether a search tries all choices, including those before answers. */
  default boolean isExplored() {
    return false;
  }

  /** Returns the choices made, for a search; empty for policies that are not explored. */
  default List<ScheduleSearch.Choice> choices() {
    return List.of();
  }

  /** Runs nothing before a wait, and then only what it needs. */
  static Point lazy(List<Point> ready, Point needed) {
    return needed;
  }

  /** Runs nothing before a wait, and then the last work first. */
  static Point reverse(List<Point> ready, Point needed) {
    return Collections.max(ready, Comparator.comparingLong(point -> point.number));
  }

  /** Runs all work immediately. */
  final class Eager implements StepPolicy {
    @Override
    public Point betweenCalls(List<Point> ready) {
      return ready.get(0);
    }

    @Override
    public Point beforeAnswer(List<Point> ready) {
      return ready.get(0);
    }

    @Override
    public Point whileWaiting(List<Point> ready, Point needed) {
      return ready.get(0);
    }
  }

  /**
   * Runs random work. The amount that runs between calls depends on a number drawn once for the
   * run.
   */
  final class Random implements StepPolicy {
    private static final int EIGHTHS = 8;

    private final SplittableRandom random;

    /** The probability of more work between two calls, in eighths. */
    private final int eagerness;

    Random(long seed) {
      this.random = new SplittableRandom(seed);
      this.eagerness = random.nextInt(EIGHTHS);
    }

    @Override
    public @Nullable Point betweenCalls(List<Point> ready) {
      return random.nextInt(EIGHTHS) < eagerness ? any(ready) : null;
    }

    @Override
    public Point whileWaiting(List<Point> ready, Point needed) {
      return any(ready);
    }

    private Point any(List<Point> ready) {
      return ready.get(random.nextInt(ready.size()));
    }
  }

  /**
   * Runs the stream of the highest priority, until the host's priority is higher. At a few random
   * steps, the first in priority becomes the last.
   */
  final class Priorities implements StepPolicy {
    private static final int HOST = -1;

    private final long seed;
    private final List<Integer> changes = new ArrayList<>();

    /** Lanes in the order in which they became last. */
    private final List<Integer> demoted = new ArrayList<>();

    private int steps;

    Priorities(long seed, int depth) {
      this.seed = seed;
      SplittableRandom random = new SplittableRandom(seed);
      for (int i = 1; i < depth; i++) {
        changes.add(random.nextInt(Schedule.MAXIMUM_DEPTH));
      }
    }

    @Override
    public @Nullable Point betweenCalls(List<Point> ready) {
      Point first = first(ready);
      boolean hostFirst = isBefore(HOST, first.lane.number);
      if (changes.contains(steps++)) {
        demoted.add(hostFirst ? HOST : first.lane.number);
      }
      return hostFirst ? null : first;
    }

    @Override
    public Point whileWaiting(List<Point> ready, Point needed) {
      return first(ready);
    }

    private Point first(List<Point> ready) {
      Point first = ready.get(0);
      for (Point point : ready) {
        if (isBefore(point.lane.number, first.lane.number)) {
          first = point;
        }
      }
      return first;
    }

    private boolean isBefore(int lane, int other) {
      int last = demoted.lastIndexOf(lane);
      int otherLast = demoted.lastIndexOf(other);
      return last != otherLast
          ? last < otherLast
          : SparseBytes.mix(seed + lane) < SparseBytes.mix(seed + other);
    }
  }

  /**
   * Runs all work immediately, except the stream of the smallest random number, which runs when
   * needed.
   */
  final class Starving implements StepPolicy {
    private final long seed;
    private int victim = -1;
    private long drawn = Long.MAX_VALUE;

    Starving(long seed) {
      this.seed = seed;
    }

    @Override
    public @Nullable Point betweenCalls(List<Point> ready) {
      for (Point point : ready) {
        int lane = point.lane.number;
        long draw = SparseBytes.mix(seed + lane);
        if (draw < drawn) {
          drawn = draw;
          victim = lane;
        }
      }
      for (Point point : ready) {
        if (point.lane.number != victim) {
          return point;
        }
      }
      return null;
    }

    @Override
    public Point whileWaiting(List<Point> ready, Point needed) {
      Point other = betweenCalls(ready);
      return other == null ? needed : other;
    }
  }

  /**
   * Follows a list of choices. The host observes work only when it queries or waits, so nothing
   * else needs a choice.
   */
  final class Chosen implements StepPolicy {
    private final List<Integer> given;
    private final List<Choice> made = new ArrayList<>();

    Chosen(List<Integer> given) {
      this.given = given;
    }

    @Override
    public @Nullable Point beforeAnswer(List<Point> ready) {
      int choice = choose(ready.size() + 1);
      return choice == 0 ? null : ready.get(choice - 1);
    }

    @Override
    public Point whileWaiting(List<Point> ready, Point needed) {
      return ready.get(choose(ready.size()));
    }

    private int choose(int possible) {
      if (possible == 1) {
        return 0;
      }
      int at = made.size();
      int choice = at < given.size() ? given.get(at) : 0;
      if (choice >= possible) {
        throw new ChoiceException(
            ("%s takes possibility %s as its choice %s, but the program offers %s, counted from"
                    + " 0; use a schedule that a search of the same program found")
                .formatted(Schedule.chosen(given), choice, at + 1, possible));
      }
      made.add(new Choice(choice, possible));
      return choice;
    }

    @Override
    public boolean isExplored() {
      return true;
    }

    @Override
    public List<Choice> choices() {
      return List.copyOf(made);
    }
  }
}
