package org.vramkit.ptx.number;

import java.math.BigDecimal;

/** Arithmetic of float and double in all rounding modes. */
@SuppressWarnings("OperatorPrecedence") // masks and shifts read best without parentheses
public final class Exact {
  private Exact() {}

  /** Operations whose result is rounded. */
  public enum Kind {
    ADD,
    MUL,
    FMA,
    DIV,
    SQRT
  }

  /** Returns the result in double, with operands in double. */
  public static double inDouble(Kind kind, double a, double b, double c, Rounding mode) {
    double nearest =
        switch (kind) {
          case ADD -> a + b;
          case MUL -> a * b;
          case FMA -> Math.fma(a, b, c);
          case DIV -> a / b;
          case SQRT -> Math.sqrt(a);
        };
    return round(kind, a, b, c, nearest, mode, false);
  }

  /** Returns the result in float, with operands that are floats. */
  public static float inFloat(Kind kind, float a, float b, float c, Rounding mode) {
    float nearest =
        switch (kind) {
          case ADD -> a + b;
          case MUL -> a * b;
          case FMA -> Math.fma(a, b, c);
          case DIV -> a / b;
          case SQRT -> (float) Math.sqrt(a);
        };
    return (float) round(kind, a, b, c, nearest, mode, true);
  }

  /** Moves the nearest result to the next number, if the mode wants that. */
  private static double round(
      Kind kind, double a, double b, double c, double nearest, Rounding mode, boolean single) {
    if (mode == Rounding.NEAREST || !isFinite(kind, a, b, c)) {
      return nearest;
    }
    double result = nearest;
    if (result == 0 && (kind == Kind.ADD || kind == Kind.FMA)) {
      result = zero(kind, a, b, c, result, mode);
    }
    if (Double.isInfinite(result)) {
      boolean negative = result < 0;
      double most = single ? Float.MAX_VALUE : Double.MAX_VALUE;
      boolean stays = mode == (negative ? Rounding.DOWN : Rounding.UP);
      return stays ? result : negative ? -most : most;
    }
    double moved = adjust(result, compare(kind, a, b, c, result), mode);
    if (!single) {
      return moved;
    }
    if (moved == result) {
      return result;
    }
    return moved > result ? Math.nextUp((float) result) : Math.nextDown((float) result);
  }

  private static boolean isFinite(Kind kind, double a, double b, double c) {
    boolean one = Double.isFinite(a);
    return switch (kind) {
      case SQRT -> one && a > 0;
      case FMA -> one && Double.isFinite(b) && Double.isFinite(c);
      case DIV -> one && Double.isFinite(b) && b != 0;
      default -> one && Double.isFinite(b);
    };
  }

  /** Returns the zero of an exact sum: -0 only when rounding down, or when both parts are -0. */
  private static double zero(
      Kind kind, double a, double b, double c, double nearest, Rounding mode) {
    if (compare(kind, a, b, c, 0) != 0 || mode != Rounding.DOWN) {
      return nearest;
    }
    double one = kind == Kind.ADD ? a : a * b;
    double other = kind == Kind.ADD ? b : c;
    boolean bothPositive = 1 / one > 0 && 1 / other > 0 && one == 0 && other == 0;
    return bothPositive ? 0.0 : -0.0;
  }

  /** Returns the sign of the exact result less a number. */
  private static int compare(Kind kind, double a, double b, double c, double nearest) {
    BigDecimal x = new BigDecimal(a);
    BigDecimal result = new BigDecimal(nearest);
    return switch (kind) {
      case ADD -> x.add(new BigDecimal(b)).compareTo(result);
      case MUL -> x.multiply(new BigDecimal(b)).compareTo(result);
      case FMA -> x.multiply(new BigDecimal(b)).add(new BigDecimal(c)).compareTo(result);
      case DIV -> x.compareTo(result.multiply(new BigDecimal(b))) * (b < 0 ? -1 : 1);
      case SQRT -> x.compareTo(result.multiply(result));
    };
  }

  private static double adjust(double nearest, int order, Rounding mode) {
    boolean negative = nearest < 0 || nearest == 0 && (order < 0 || 1 / nearest < 0 && order == 0);
    boolean down = mode == Rounding.DOWN || mode == Rounding.ZERO && !negative;
    boolean up = mode == Rounding.UP || mode == Rounding.ZERO && negative;
    if (order < 0 && down) {
      return nearest == 0 && mode == Rounding.ZERO ? -0.0 : Math.nextDown(nearest);
    }
    if (order > 0 && up) {
      return Math.nextUp(nearest);
    }
    return nearest;
  }
}
