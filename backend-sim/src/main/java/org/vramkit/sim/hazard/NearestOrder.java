package org.vramkit.sim.hazard;

import java.util.List;
import java.util.Objects;

/**
 * The synchronization that comes nearest to ordering the two accesses of a hazard, and the reason
 * why it does not order them.
 *
 * @param shortfall the reason why it does not order the accesses
 * @param operations numbers of the operations of the synchronization, such as records and waits, in
 *     the order of the calls
 * @param words a description in words
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
