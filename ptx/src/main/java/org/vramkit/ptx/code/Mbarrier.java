package org.vramkit.ptx.code;

/**
 * The state of an mbarrier object in its 64 bits: arrivals that are pending and those that each
 * phase expects (20 bits each), bytes that are under way (22 bits), and the parity of the phase.
 */
final class Mbarrier {
  private static final int EXPECTED = 20;
  private static final int BYTES = 40;
  private static final int PHASE = 62;
  private static final long COUNT = (1L << 20) - 1;
  private static final long ALL_BYTES = (1L << 22) - 1;

  private Mbarrier() {}

  /** Returns the first phase for a number of arrivals. */
  static long of(long count) {
    return (count & COUNT) << EXPECTED | (count & COUNT);
  }

  /** Returns the state with fewer pending arrivals; the next phase begins when none is left. */
  static long arrive(long state, long count) {
    return complete((state & ~COUNT) | ((state - count) & COUNT));
  }

  /** Returns the state with fewer arrivals of the phases to come. */
  static long drop(long state, long count) {
    return state - ((count & COUNT) << EXPECTED);
  }

  /** Returns the state with more bytes under way, or fewer if the number is negative. */
  static long expect(long state, long bytes) {
    long sum = (state >>> BYTES) + (int) bytes & ALL_BYTES;
    long next = (state & ~(ALL_BYTES << BYTES)) | sum << BYTES;
    return (int) bytes < 0 ? complete(next) : next;
  }

  private static long complete(long state) {
    boolean ends = pending(state) == 0 && (state >>> BYTES & ALL_BYTES) == 0;
    return ends ? (state ^ 1L << PHASE) | (state >>> EXPECTED & COUNT) : state;
  }

  static long pending(long state) {
    return state & COUNT;
  }

  /** Returns the parity of the phase that has not ended. */
  static long phase(long state) {
    return state >>> PHASE & 1;
  }
}
