package org.vramkit.partition.scatter;

import java.util.Set;
import java.util.TreeSet;

/**
 * A range of units with the history of its attempts.
 *
 * @param index position of its tile in the schedule; {@link #NEXT} if it gets one when assigned
 * @param from first unit
 * @param to end of the range, exclusive
 * @param attempts number of attempts so far
 * @param failures number of device failures other than out of memory
 * @param failedOn ordinals of members that failed or were overdue on these units; others get the
 *     units first, and one that was only overdue may get them again
 */
record Piece(int index, long from, long to, int attempts, int failures, Set<Integer> failedOn) {
  static final int NEXT = -1;

  static Piece fresh(long from, long to) {
    return of(NEXT, from, to);
  }

  static Piece of(int index, long from, long to) {
    return new Piece(index, from, to, 0, 0, Set.of());
  }

  long units() {
    return to - from;
  }

  /** Returns this range with one more attempt; every member that could take it still can. */
  Piece again() {
    return new Piece(index, from, to, attempts + 1, failures, failedOn);
  }

  /**
   * Returns this range with one more attempt, to be tried elsewhere than on the member {@code
   * ordinal}.
   *
   * @param failed whether the device failed, other than by out of memory
   */
  Piece elsewhere(int ordinal, boolean failed) {
    Set<Integer> all = new TreeSet<>(failedOn);
    all.add(ordinal);
    return new Piece(index, from, to, attempts + 1, failures + (failed ? 1 : 0), all);
  }

  Piece first(long units) {
    return new Piece(index, from, from + units, attempts, failures, failedOn);
  }

  Piece after(long units) {
    return new Piece(index, from + units, to, attempts, failures, failedOn);
  }
}
