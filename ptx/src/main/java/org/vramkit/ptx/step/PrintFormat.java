package org.vramkit.ptx.step;

import java.util.Locale;

/** Formats one value as C's printf does. */
final class PrintFormat {
  private final String flags;
  private final boolean left;
  private final int width;

  /** The precision; -1 if there is none. */
  private final int precision;

  private PrintFormat(String modifiers) {
    String plain = modifiers.replaceAll("[hlLjzt]", "");
    int dot = plain.indexOf('.');
    this.flags = dot < 0 ? plain : plain.substring(0, dot);
    this.left = flags.contains("-");
    this.width = Math.min(1000, number(flags.replaceAll("[-+ #]", "")));
    this.precision = dot < 0 ? -1 : number(plain.substring(dot + 1));
  }

  private static int number(String digits) {
    return digits.isEmpty() ? 0 : Integer.parseInt(digits);
  }

  /** Returns whether modifiers tell that an argument has 64 bits. */
  static boolean isWide(String modifiers) {
    return modifiers.matches(".*[lzjt].*");
  }

  /**
   * Returns whether the result of printf counts a conversion: the device's one does not know these
   * sizes.
   */
  static boolean isCounted(String modifiers) {
    return !modifiers.matches(".*(hh|[Lzjt]).*");
  }

  private static int bits(String modifiers) {
    return isWide(modifiers)
        ? 64
        : modifiers.contains("hh") ? 8 : modifiers.contains("h") ? 16 : 32;
  }

  static String format(String modifiers, char kind, long value, String string) {
    PrintFormat format = new PrintFormat(modifiers);
    int unused = 64 - bits(modifiers);
    long unsigned = value << unused >>> unused;
    return switch (kind) {
      case 'd', 'i' -> format.integer(value << unused >> unused);
      case 'u' -> format.digits("", Long.toUnsignedString(unsigned));
      case 'o' -> format.digits("0", Long.toOctalString(unsigned));
      case 'x' -> format.digits("0x", Long.toHexString(unsigned));
      case 'X' -> format.digits("0X", Long.toHexString(unsigned).toUpperCase(Locale.ROOT));
      case 'c' -> format.digits("", String.valueOf((char) (value & 0xff)));
      case 'p' -> format.digits("", "0x" + Long.toHexString(value));
      case 's' -> format.text(string);
      case 'f', 'F', 'e', 'E', 'g', 'G', 'a', 'A' ->
          format.floating(kind, Double.longBitsToDouble(value));
      default -> "%" + modifiers + kind;
    };
  }

  private String text(String string) {
    int most = precision < 0 ? string.length() : Math.min(precision, string.length());
    return pad(string.substring(0, most));
  }

  private String integer(long value) {
    String digits = value < 0 ? Long.toString(value).substring(1) : Long.toString(value);
    return number(sign(value < 0), precise(digits), precision < 0);
  }

  private String sign(boolean negative) {
    return negative ? "-" : flags.contains("+") ? "+" : flags.contains(" ") ? " " : "";
  }

  private String digits(String prefix, String digits) {
    boolean alternate = flags.contains("#") && !digits.equals("0");
    return number(alternate ? prefix : "", precise(digits), precision < 0);
  }

  /** Adds zeros up to the precision. */
  private String precise(String digits) {
    return "0".repeat(Math.max(0, precision - digits.length())) + digits;
  }

  /** Joins sign and digits; {@code zeros} allows zeros between them up to the width. */
  private String number(String sign, String digits, boolean zeros) {
    boolean fills = zeros && !left && flags.matches("[-+ #]*0.*");
    int missing = fills ? width - sign.length() - digits.length() : 0;
    return pad(sign + "0".repeat(Math.max(0, missing)) + digits);
  }

  private String pad(String text) {
    String fill = " ".repeat(Math.max(0, width - text.length()));
    return left ? text + fill : fill + text;
  }

  private String floating(char kind, double value) {
    String sign = sign(value < 0 || 1 / value < 0);
    boolean upper = Character.isUpperCase(kind);
    boolean finite = Double.isFinite(value);
    String text = finite ? finite(kind, Math.abs(value)) : Double.isNaN(value) ? "nan" : "inf";
    return number(sign, upper ? text.toUpperCase(Locale.ROOT) : text, finite);
  }

  private String finite(char kind, double magnitude) {
    int digits = precision < 0 ? 6 : Math.min(100, precision);
    return switch (Character.toLowerCase(kind)) {
      case 'f' -> fixed(magnitude, digits);
      case 'e' -> scientific(magnitude, digits);
      case 'a' -> Double.toHexString(magnitude).replace(".0p", "p");
      default -> general(magnitude, Math.max(1, digits), flags.contains("#"));
    };
  }

  private static String fixed(double value, int precision) {
    return new java.math.BigDecimal(value)
        .setScale(precision, java.math.RoundingMode.HALF_EVEN)
        .toPlainString();
  }

  private static String scientific(double value, int precision) {
    if (value == 0) {
      return (precision == 0 ? "0" : "0." + "0".repeat(precision)) + "e+00";
    }
    java.math.BigDecimal exact =
        new java.math.BigDecimal(value)
            .round(new java.math.MathContext(precision + 1, java.math.RoundingMode.HALF_EVEN));
    String digits = exact.unscaledValue().toString();
    int exponent = digits.length() - 1 - exact.scale();
    digits += "0".repeat(Math.max(0, precision + 1 - digits.length()));
    digits = digits.substring(0, precision + 1);
    String mantissa = precision == 0 ? digits : digits.charAt(0) + "." + digits.substring(1);
    return mantissa
        + String.format(Locale.ROOT, "e%s%02d", exponent < 0 ? "-" : "+", Math.abs(exponent));
  }

  private static String general(double value, int precision, boolean keepsZeros) {
    String scientific = scientific(value, precision - 1);
    int exponent = Integer.parseInt(scientific.substring(scientific.indexOf('e') + 1));
    boolean useFixed = exponent >= -4 && exponent < precision;
    String text = useFixed ? fixed(value, precision - 1 - exponent) : scientific;
    if (keepsZeros || text.indexOf('.') < 0) {
      return text;
    }
    int end = useFixed ? text.length() : text.indexOf('e');
    String mantissa = text.substring(0, end).replaceAll("\\.?0+$", "");
    return mantissa + text.substring(end);
  }
}
