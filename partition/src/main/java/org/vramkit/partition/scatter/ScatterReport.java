package org.vramkit.partition.scatter;

import java.util.List;
import org.vramkit.partition.plan.Tile;

/**
 * How a scatter that succeeded was done.
 *
 * @param tiles who worked on what, in the order of units; empty if the CPU did all, or there was
 *     nothing to do
 * @param onCpu whether the CPU did all
 * @param reason why the CPU did it; empty otherwise
 * @param halvings how often a tile was halved for lack of memory
 * @param moves how many tiles were done by another device than planned
 */
public record ScatterReport(
    List<Tile> tiles, boolean onCpu, String reason, int halvings, int moves) {

  /** Copies the list. */
  public ScatterReport {
    tiles = List.copyOf(tiles);
  }
}
