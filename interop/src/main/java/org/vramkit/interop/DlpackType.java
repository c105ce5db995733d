package org.vramkit.interop;

import org.vramkit.api.allocator.ElementType;
import org.vramkit.api.error.InvalidArgumentException;

/** Converts between element types and {@code DLDataType}. */
final class DlpackType {
  /** {@code kDLInt}. */
  private static final int INT = 0;

  /** {@code kDLUInt}: the bytes of an unsigned integer are those of a signed one. */
  private static final int UNSIGNED = 1;

  /** {@code kDLFloat}. */
  private static final int FLOAT = 2;

  /** {@code kDLBfloat}. */
  private static final int BFLOAT = 4;

  private DlpackType() {}

  static int codeOf(ElementType type) {
    return switch (type) {
      case INT8, INT16, INT32, INT64 -> INT;
      case FLOAT16, FLOAT32, FLOAT64 -> FLOAT;
      case BFLOAT16 -> BFLOAT;
    };
  }

  static ElementType of(int code, int bits, int lanes) {
    if (lanes == 1) {
      int wanted = code == UNSIGNED ? INT : code;
      for (ElementType each : ElementType.values()) {
        if (codeOf(each) == wanted && each.getWidth() * Byte.SIZE == bits) {
          return each;
        }
      }
    }
    throw new InvalidArgumentException(
        "no element type has DLPack's code "
            + code
            + ", "
            + bits
            + " bits, "
            + lanes
            + " lanes; there are integers of 8 to 64 bits, floats of 16 to 64, and bfloat16");
  }
}
