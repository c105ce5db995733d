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
 * Forecasts a scatter on devices of known speed, without a device, a thread or time. Devices work
 * at a steady rate, on one chunk after the other, and handing a chunk over costs nothing.
 */
public final class Forecast {
  /** 146 years: half of the nanoseconds that there are numbers for, so that sums stay below. */
  private static final long LONGEST_NANOS = Long.MAX_VALUE / 2;

  private Forecast() {}

  /** A chunk that a device has, until it ends. */
  private record Busy(Chunk chunk, long end) {}

  /**
   * Plays a scatter.
   *
   * @param units how many, not negative
   * @param schedule how they are divided
   * @param scores what each device is thought to do beside the others; its ordinal is its place
   * @param unitsPerSecond what each really does; positive and finite
   * @return the report of that scatter; its times are those of the play
   * @throws InvalidArgumentException for units, scores or rates out of their ranges, and for a
   *     scatter that would take longer than 146 years
   */
  public static ScatterReport of(
      long units, Schedule schedule, double[] scores, double[] unitsPerSecond) {
    check(units, schedule, scores, unitsPerSecond);
    return schedule.isPlanned()
        ? planned(units, scores, unitsPerSecond)
        : dealt(units, schedule, scores, unitsPerSecond);
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
              + ": the units must not be negative, each of at least one device needs a score, not"
              + " negative, and a positive rate; the CPU is one more of them");
    }
  }

  /** When units that are begun at a time are done. */
  private static long end(long begin, long units, double unitsPerSecond) {
    double nanos = Math.ceil(units / unitsPerSecond * 1e9);
    if (begin + nanos > LONGEST_NANOS) {
      throw new InvalidArgumentException(
          "cannot forecast "
              + units
              + " units at "
              + unitsPerSecond
              + " units a second: they take longer than "
              + TimeUnit.NANOSECONDS.toDays(LONGEST_NANOS)
              + " days; take fewer units or a higher rate");
    }
    return begin + (long) nanos;
  }

  private static ScatterReport planned(long units, double[] scores, double[] unitsPerSecond) {
    long[] caps = new long[scores.length];
    Arrays.fill(caps, Long.MAX_VALUE);
    long[] counts = Partitioner.FASTEST_FINISH.divide(units, scores, caps);
    List<ChunkRun> runs = new ArrayList<>();
    long next = 0;
    for (int i = 0; i < counts.length; i++) {
      if (counts[i] > 0) {
        Tile tile = new Tile(i, next, next + counts[i]);
        long end = end(0, counts[i], unitsPerSecond[i]);
        runs.add(new ChunkRun(runs.size(), tile, 1, 0, end, ChunkRun.Outcome.DONE));
        next = tile.to();
      }
    }
    return report(runs);
  }

  private static ScatterReport dealt(
      long units, Schedule schedule, double[] scores, double[] unitsPerSecond) {
    List<Member> members = new ArrayList<>();
    for (int i = 0; i < scores.length; i++) {
      members.add(new Member(i, null, scores[i], 0, Long.MAX_VALUE, 2));
    }
    members.sort(Comparator.comparingDouble((Member member) -> member.score).reversed());
    Dealer dealer =
        new Dealer(members, Remainder.without(schedule.finished(), units), schedule, units);
    PriorityQueue<Busy> busy =
        new PriorityQueue<>(
            Comparator.comparingLong(Busy::end).thenComparingInt(each -> each.chunk().index));
    long[] free = new long[scores.length];
    List<ChunkRun> runs = new ArrayList<>();
    long now = 0;
    do {
      for (Chunk chunk : dealer.deal(now)) {
        int device = chunk.member.ordinal;
        long begin = Math.max(now, free[device]);
        long end = end(begin, chunk.piece.units(), unitsPerSecond[device]);
        free[device] = end;
        busy.add(new Busy(chunk, end));
      }
      Busy first = busy.poll();
      if (first != null) {
        now = first.end();
        dealer.finished(first.chunk(), now);
        runs.add(first.chunk().ended(ChunkRun.Outcome.DONE, 0, now));
      }
    } while (!busy.isEmpty() || !dealer.isAllDealt());
    return report(runs);
  }

  private static ScatterReport report(List<ChunkRun> runs) {
    List<Tile> tiles =
        runs.stream().map(ChunkRun::tile).sorted(Comparator.comparingLong(Tile::from)).toList();
    long nanos = runs.stream().mapToLong(ChunkRun::toNanos).max().orElse(0);
    return new ScatterReport(tiles, false, "", 0, 0, runs, nanos);
  }
}
