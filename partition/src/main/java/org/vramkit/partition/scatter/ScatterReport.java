package org.vramkit.partition.scatter;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.vramkit.partition.plan.Tile;

/**
 * How a scatter that succeeded was done.
 *
 * @param tiles who worked on what, in the order of units; empty if the CPU did all, or there was
 *     nothing to do
 * @param onCpu whether the CPU did all
 * @param reason why the CPU did all or the rest; empty if the devices did everything
 * @param halvings how often a tile was halved for lack of memory
 * @param moves how many tiles were done by another device than planned, or once more
 * @param runs what each device did when, also what came to nothing, in the order of ends. A planned
 *     tile ends when the caller has seen it end, so some a little early in the order look late
 * @param nanos how long the scatter took
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

  /** A report without times. */
  public ScatterReport(List<Tile> tiles, boolean onCpu, String reason, int halvings, int moves) {
    this(tiles, onCpu, reason, halvings, moves, List.of(), 0);
  }

  /**
   * The chunks that count, in the order in which they were dealt; for {@link Schedule#recorded}.
   */
  public List<Tile> getOrder() {
    return done().stream()
        .sorted(Comparator.comparingInt(ChunkRun::index))
        .map(ChunkRun::tile)
        .toList();
  }

  /** Chunks that were overdue and that others did. */
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
   * The time that the work would have taken, had every device that did some of it been busy from
   * start to end at its own rate, as a share of the time it took; 1 is best. 0 if nothing was done.
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

  /** How long at least one of the chunks was under way. */
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

  /** A line for people, without the runs. */
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
