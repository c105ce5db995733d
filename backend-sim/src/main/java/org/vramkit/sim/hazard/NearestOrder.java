package org.vramkit.sim.hazard;

import java.util.List;
import java.util.Objects;

/**
 * The synchronization that comes nearest to ordering the two accesses of a hazard, and why it does
 * not.
 *
 * @param shortfall why it does not order them
 * @param operations numbers of its records, waits and synchronizations, in the order of the calls
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
