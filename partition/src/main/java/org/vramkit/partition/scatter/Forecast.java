package org.vramkit.partition.scatter;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.TimeUnit;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.partition.plan.Partitioner;
import org.vramkit.partition.plan.Tile;

/**
 * Predicts the schedule of a scatter on devices of known rates, by simulation. In the model each
 * device works at a constant rate on one chunk at a time, and assigning a chunk takes no time.
 */
public final class Forecast {
  /** 146 years: half of the range of {@code long}, so that sums do not overflow. */
  private static final long MAX_NANOS = Long.MAX_VALUE / 2;

  /** The shortest forecast: in a shorter one, rounding to nanoseconds would distort the times. */
  private static final double MIN_NANOS = 1000;

  private Forecast() {}

  /** A chunk in progress and the time of its end in nanoseconds. */
  private record Busy(Chunk chunk, long end) {}

  /**
   * Predicts a scatter.
   *
   * @param units the number of units, not negative
   * @param schedule the schedule, without the CPU as a device
   * @param scores the estimated score of each device, indexed by ordinal
   * @param unitsPerSecond the actual rate of each device; positive and finite
   * @return the report of that scatter, with predicted times
   * @throws InvalidArgumentException if units, scores or rates are out of range, or the scatter
   *     would take less than a microsecond or longer than 146 years
   */
  public static ScatterReport of(
      long units, Schedule schedule, double[] scores, double[] unitsPerSecond) {
    check(units, schedule, scores, unitsPerSecond);
    List<Piece> left = PendingUnits.without(schedule.finished(), units);
    List<Tile> order = schedule.isPlanned() ? plan(left, scores) : schedule.order();
    return simulate(units, left, schedule, order, scores, unitsPerSecond);
  }

  private static List<Tile> plan(List<Piece> left, double[] scores) {
    long[] caps = new long[scores.length];
    Arrays.fill(caps, Long.MAX_VALUE);
    List<Tile> order = new ArrayList<>();
    for (Piece piece : left) {
      long[] counts = Partitioner.FASTEST_FINISH.divide(piece.units(), scores, caps);
      long next = piece.from();
      for (int i = 0; i < counts.length; i++) {
        if (counts[i] > 0) {
          order.add(new Tile(i, next, next + counts[i]));
          next += counts[i];
        }
      }
    }
    return order;
  }

  private static void check(
      long units, Schedule schedule, double[] scores, double[] unitsPerSecond) {
    boolean fine = units >= 0 && scores.length == unitsPerSecond.length && scores.length > 0;
    fine &= Arrays.stream(scores).allMatch(score -> score >= 0 && Double.isFinite(score));
    fine &= Arrays.stream(unitsPerSecond).allMatch(rate -> rate > 0 && Double.isFinite(rate));
    if (!fine || schedule.hasCpu()) {
      throw new InvalidArgumentException(
          "cannot forecast "
              + units
              + " units on devices with scores "
              + Arrays.toString(scores)
              + " and rates "
              + Arrays.toString(unitsPerSecond)
              + ": units must be 0 or more, and each device needs a score of 0 or more and a"
              + " positive rate; pass the CPU as one more device instead of withCpu()");
    }
    double rate = Arrays.stream(unitsPerSecond).sum();
    if (units > 0 && units / rate * 1e9 < MIN_NANOS) {
      throw new InvalidArgumentException(
          "cannot forecast "
              + units
              + " units on devices with rates "
              + Arrays.toString(unitsPerSecond)
              + " units per second: they take less than a microsecond, and times are whole"
              + " nanoseconds; pass more units or lower rates");
    }
  }

  /** Returns the end of work that begins at {@code begin}. */
  private static long end(long begin, long units, double unitsPerSecond) {
    double nanos = Math.ceil(units / unitsPerSecond * 1e9);
    if (begin + nanos > MAX_NANOS) {
      throw new InvalidArgumentException(
          "cannot forecast "
              + units
              + " units at "
              + unitsPerSecond
              + " units per second: they take longer than "
              + TimeUnit.NANOSECONDS.toDays(MAX_NANOS)
              + " days; pass fewer units or a higher rate");
    }
    return begin + (long) nanos;
  }

  private static ScatterReport simulate(
      long units,
      List<Piece> left,
      Schedule schedule,
      List<Tile> order,
      double[] scores,
      double[] unitsPerSecond) {
    List<Member> members = new ArrayList<>();
    for (int i = 0; i < scores.length; i++) {
      int lanes = schedule.isPlanned() ? 1 : 2;
      members.add(new Member(i, null, scores[i], 0, Long.MAX_VALUE, lanes));
    }
    members.sort(Comparator.comparingDouble((Member member) -> member.score).reversed());
    ChunkScheduler scheduler = new ChunkScheduler(members, left, schedule, order, units);
    PriorityQueue<Busy> busy =
        new PriorityQueue<>(
            Comparator.comparingLong(Busy::end).thenComparingInt(each -> each.chunk().index));
    long[] free = new long[scores.length];
    List<ChunkRun> runs = new ArrayList<>();
    long now = 0;
    do {
      for (Chunk chunk : scheduler.assign(now)) {
        int device = chunk.member.ordinal;
        long begin = Math.max(now, free[device]);
        long end = end(begin, chunk.piece.units(), unitsPerSecond[device]);
        free[device] = end;
        busy.add(new Busy(chunk, end));
      }
      Busy first = busy.poll();
      if (first != null) {
        now = first.end();
        scheduler.finished(first.chunk(), now);
        runs.add(first.chunk().ended(ChunkRun.Outcome.DONE, 0, now));
      }
    } while (!busy.isEmpty() || !scheduler.isAllAssigned());
    return report(runs);
  }

  private static ScatterReport report(List<ChunkRun> runs) {
    List<Tile> tiles =
        runs.stream().map(ChunkRun::tile).sorted(Comparator.comparingLong(Tile::from)).toList();
    long nanos = runs.stream().mapToLong(ChunkRun::toNanos).max().orElse(0);
    return new ScatterReport(tiles, false, "", 0, 0, runs, nanos);
  }
}
