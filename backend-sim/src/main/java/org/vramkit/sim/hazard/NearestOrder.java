package org.vramkit.sim.hazard;

import java.util.List;
import java.util.Objects;

/**
 * The synchronisation that comes nearest to ordering the two accesses of a hazard, and why it does
 * not.
 *
 * @param shortfall what is wrong with it
 * @param operations numbers of the records, waits and synchronisations that it consists of, in the
 *     order in which they happened
 * @param words the same for people
 */
public record NearestOrder(Shortfall shortfall, List<Long> operations, String words) {
  /** Copies the numbers. */
  public NearestOrder {
    Objects.requireNonNull(shortfall, "shortfall");
    Objects.requireNonNull(words, "words");
    operations = List.copyOf(Objects.requireNonNull(operations, "operations"));
  }

  @Override
  public String toString() {
    return words;
  }
}
