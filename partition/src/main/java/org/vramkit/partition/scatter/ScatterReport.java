package org.vramkit.partition.scatter;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.vramkit.partition.plan.Tile;

/**
 * The report of a successful scatter.
 *
 * @param tiles the completed tiles in the order of units; empty if the CPU did all units, or there
 *     were no units
 * @param onCpu whether the CPU did all units
 * @param reason why the CPU did all or part of the work; empty if the devices did everything
 * @param halvings number of times a tile was halved for lack of memory
 * @param moves number of tiles that were retried or moved to another device
 * @param runs all attempts, including failed ones, in the order of their ends, without those whose
 *     results were dropped because the CPU ran all units again. The end of a planned tile is the
 *     time at which the caller observed it, which may be later than its actual end
 * @param nanos duration of the scatter in nanoseconds
 */
public record ScatterReport(
    List<Tile> tiles,
    boolean onCpu,
    String reason,
    int halvings,
    int moves,
    List<ChunkRun> runs,
    long nanos) {
  /** Copies the lists. */
  public ScatterReport {
    tiles = List.copyOf(tiles);
    runs = List.copyOf(runs);
  }

  /** Creates a report without times. */
  public ScatterReport(List<Tile> tiles, boolean onCpu, String reason, int halvings, int moves) {
    this(tiles, onCpu, reason, halvings, moves, List.of(), 0);
  }

  /** Returns the completed chunks in the order of assignment, for {@link Schedule#recorded}. */
  public List<Tile> getOrder() {
    return done().stream()
        .sorted(Comparator.comparingInt(ChunkRun::index))
        .map(ChunkRun::tile)
        .toList();
  }

  /** Returns the overdue chunks that were reassigned. */
  public List<Tile> getOverdue() {
    return runs.stream()
        .filter(run -> run.outcome() == ChunkRun.Outcome.OVERDUE)
        .map(ChunkRun::tile)
        .toList();
  }

  private List<ChunkRun> done() {
    return runs.stream().filter(run -> run.outcome() == ChunkRun.Outcome.DONE).toList();
  }

  /**
   * Returns the ratio of the ideal duration to the actual one; 1 is best, 0 if there was no work.
   * The ideal duration assumes that every participating device is busy throughout at its measured
   * rate.
   */
  public double getEfficiency() {
    Map<Integer, List<ChunkRun>> byDevice = new HashMap<>();
    done()
        .forEach(
            run ->
                byDevice.computeIfAbsent(run.tile().ordinal(), each -> new ArrayList<>()).add(run));
    double rates = 0;
    double units = 0;
    for (List<ChunkRun> own : byDevice.values()) {
      double did = own.stream().mapToDouble(run -> run.tile().getUnits()).sum();
      units += did;
      rates += did / Math.max(1, busyNanos(own));
    }
    return units == 0 || nanos == 0 ? 0 : Math.min(1, units / rates / nanos);
  }

  /** Returns the time during which at least one of the chunks was in progress. */
  private static long busyNanos(List<ChunkRun> own) {
    List<ChunkRun> sorted = new ArrayList<>(own);
    sorted.sort(Comparator.comparingLong(ChunkRun::fromNanos));
    long busy = 0;
    long until = Long.MIN_VALUE;
    for (ChunkRun run : sorted) {
      busy += Math.max(0, run.toNanos() - Math.max(until, run.fromNanos()));
      until = Math.max(until, run.toNanos());
    }
    return busy;
  }

  /** Returns a summary without the individual runs. */
  @Override
  public String toString() {
    return "ScatterReport[tiles="
        + tiles
        + ", onCpu="
        + onCpu
        + ", reason="
        + reason
        + ", halvings="
        + halvings
        + ", moves="
        + moves
        + ", runs="
        + runs.size()
        + ", nanos="
        + nanos
        + "]";
  }
}
