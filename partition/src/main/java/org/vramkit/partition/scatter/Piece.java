package org.vramkit.partition.scatter;

import java.util.Set;
import java.util.TreeSet;

/**
 * Units that no device works on now.
 *
 * @param from first unit
 * @param to first unit after them
 * @param attempts how often a device has tried them
 * @param failures how often a device failed on them, but for lack of memory
 * @param failedOn members that must not have them again
 */
record Piece(long from, long to, int attempts, int failures, Set<Integer> failedOn) {
  static Piece fresh(long from, long to) {
    return new Piece(from, to, 0, 0, Set.of());
  }

  long units() {
    return to - from;
  }

  /** The same after it was tried in vain; by the same member again, perhaps in smaller pieces. */
  Piece again() {
    return new Piece(from, to, attempts + 1, failures, failedOn);
  }

  /** The same after it was tried in vain; for others. */
  Piece elsewhere(int ordinal, boolean failed) {
    Set<Integer> all = new TreeSet<>(failedOn);
    all.add(ordinal);
    return new Piece(from, to, attempts + 1, failures + (failed ? 1 : 0), all);
  }

  Piece first(long units) {
    return new Piece(from, from + units, attempts, failures, failedOn);
  }

  Piece after(long units) {
    return new Piece(from + units, to, attempts, failures, failedOn);
  }
}
