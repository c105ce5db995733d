package org.vramkit.partition.plan;

import java.util.List;
import org.vramkit.api.error.InvalidArgumentException;

/**
 * A division of work over devices. Tiles of all rounds together cover the units exactly, in order,
 * without gap or overlap; within a round a device has one tile at most.
 *
 * @param from first unit, not negative
 * @param units how many, not negative
 * @param rounds one after the other: more than one where the devices' memory cannot hold all at
 *     once
 * @param skipped devices that get nothing because of their memory, with the reason
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

  /** All tiles, round after round. */
  public List<Tile> getTiles() {
    return rounds.stream().flatMap(List::stream).toList();
  }
}
