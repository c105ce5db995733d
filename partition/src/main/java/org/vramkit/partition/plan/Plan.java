package org.vramkit.partition.plan;

import java.util.List;
import org.vramkit.api.error.InvalidArgumentException;

/**
 * A division of work over devices. The tiles of all rounds cover the units in order, without gap or
 * overlap. In each round a device has at most one tile.
 *
 * @param from first unit, not negative
 * @param units the number of units, not negative
 * @param rounds the tiles of each round; there are several if the devices' memory cannot hold all
 *     units at once
 * @param skipped devices that get no units for lack of memory, with the reason
 */
public record Plan(long from, long units, List<List<Tile>> rounds, List<String> skipped) {

  /**
   * Copies the lists.
   *
   * @throws InvalidArgumentException if a number is negative
   */
  public Plan {
    if (from < 0 || units < 0) {
      throw new InvalidArgumentException(
          "a plan's units must not be negative, not " + units + " from " + from + " on");
    }
    rounds = rounds.stream().map(List::copyOf).toList();
    skipped = List.copyOf(skipped);
  }

  /** Returns all tiles, in order of rounds. */
  public List<Tile> getTiles() {
    return rounds.stream().flatMap(List::stream).toList();
  }
}
