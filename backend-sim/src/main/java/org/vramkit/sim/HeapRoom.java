package org.vramkit.sim;

/**
 * Makes sure that the JVM has memory for the books of a whole call of the driver: an
 * OutOfMemoryError in the middle would keep what was given from the one who asked for it. Where
 * there is plenty, which is looked up now and then, nothing has to be tried. Guarded by the
 * backend's lock.
 */
final class HeapRoom {
  /** What the books of one call take at most. */
  private static final int BYTES = 4096;

  /** So much is left for other threads between two looks. */
  private static final long PLENTY = 64L << 20;

  private static final int CALLS_BETWEEN_LOOKS = 16;

  /** Kept from one call to the next so that no compiler drops it. */
  @SuppressWarnings("unused")
  private byte[] room = {};

  private int calls;
  private boolean scarce;

  /** Room for a call: where memory may be scarce, what was taken for the last one is garbage. */
  void forCall() {
    if (calls++ % CALLS_BETWEEN_LOOKS == 0) {
      Runtime jvm = Runtime.getRuntime();
      scarce = jvm.maxMemory() - jvm.totalMemory() + jvm.freeMemory() < PLENTY;
    }
    if (scarce) {
      room = new byte[BYTES];
    }
  }
}
