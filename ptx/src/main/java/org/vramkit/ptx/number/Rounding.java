package org.vramkit.ptx.number;

/** Rounding modes. */
public enum Rounding {
  /** To the nearest, ties to even. */
  NEAREST,
  /** To the nearest, ties away from zero. */
  NEAREST_AWAY,
  ZERO,
  /** Towards minus infinity. */
  DOWN,
  /** Towards plus infinity. */
  UP;

  /** Returns the mode of a modifier such as {@code rn} or {@code rzi}; the default is NEAREST. */
  public static Rounding of(String modifier) {
    return switch (modifier) {
      case "rz", "rzi" -> ZERO;
      case "rm", "rmi" -> DOWN;
      case "rp", "rpi" -> UP;
      case "rna" -> NEAREST_AWAY;
      default -> NEAREST;
    };
  }

  /** Returns whether a magnitude is rounded up, by its last kept bit and what follows. */
  boolean up(boolean negative, boolean odd, boolean half, boolean rest) {
    return switch (this) {
      case NEAREST -> half && (rest || odd);
      case NEAREST_AWAY -> half;
      case ZERO -> false;
      case DOWN -> negative && (half || rest);
      case UP -> !negative && (half || rest);
    };
  }
}
