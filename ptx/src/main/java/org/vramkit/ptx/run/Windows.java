package org.vramkit.ptx.run;

/**
 * Generic addresses: each state space but the global one has a window, whose addresses are offsets
 * plus its base. Windows lie above all device addresses.
 */
public final class Windows {
  private static final int SHIFT = 56;
  public static final long SHARED = 1L << SHIFT;
  public static final long LOCAL = 2L << SHIFT;
  public static final long PARAM = 3L << SHIFT;

  private static final long CODE = 4L << SHIFT;

  private Windows() {}

  /** Returns the address of a function, by its number in the module. */
  public static long ofFunction(int number) {
    return CODE + 16L * (1 + number);
  }

  /** Returns whether a generic address is in the window that begins at a base; 0 is global. */
  public static boolean contains(long base, long address) {
    return address >>> SHIFT == base >>> SHIFT;
  }
}
