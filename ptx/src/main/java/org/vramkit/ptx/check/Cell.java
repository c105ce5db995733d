package org.vramkit.ptx.check;

/**
 * The last access to a word or byte of memory, packed into a long: the strand and lane that made
 * it, the step, and three flags. Zero is no access.
 */
final class Cell {
  /** The access is atomic, or volatile and so ordered with other strong accesses. */
  static final int STRONG = 1;

  /**
   * Of a write: some write since the launch began was not atomic. Of a read: came before any write.
   */
  static final int KEPT = 2;

  /** The access is volatile: strong among warps, but not proof against the lockstep of a warp. */
  static final int VOLATILE = 4;

  private static final int STEP_SHIFT = 3;
  private static final int LANE_SHIFT = 27;
  private static final int STEPS = (1 << (LANE_SHIFT - STEP_SHIFT)) - 1;

  private Cell() {}

  static long of(int strand, int lane, int step, int flags) {
    return (long) strand << 32
        | (long) lane << LANE_SHIFT
        | (long) (step & STEPS) << STEP_SHIFT
        | flags;
  }

  static int strand(long cell) {
    return (int) (cell >>> 32);
  }

  static int lane(long cell) {
    return (int) (cell >>> LANE_SHIFT) & 31;
  }

  static int step(long cell) {
    return (int) (cell >>> STEP_SHIFT) & STEPS;
  }
}
