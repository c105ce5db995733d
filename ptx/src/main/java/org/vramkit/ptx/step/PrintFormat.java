package org.vramkit.ptx.step;

import java.util.Locale;

/** Formats one value as C's printf does. */
final class PrintFormat {
  private PrintFormat() {}

  static String format(String modifiers, char kind, long value, String string) {
    String flags = modifiers.replaceAll("[hlLjzt]", "");
    boolean wide = modifiers.indexOf('l') >= 0 || modifiers.indexOf('z') >= 0;
    wide |= modifiers.indexOf('j') >= 0 || modifiers.indexOf('t') >= 0;
    return switch (kind) {
      case 'd', 'i' -> integer(flags, wide ? value : (int) value);
      case 'u' -> padded(flags, Long.toUnsignedString(wide ? value : value & 0xffffffffL), "");
      case 'o' -> padded(flags, Long.toOctalString(wide ? value : value & 0xffffffffL), "0");
      case 'x' -> padded(flags, Long.toHexString(wide ? value : value & 0xffffffffL), "0x");
      case 'X' ->
          padded(
              flags,
              Long.toHexString(wide ? value : value & 0xffffffffL).toUpperCase(Locale.ROOT),
              "0X");
      case 'c' -> padded(flags, String.valueOf((char) (value & 0xff)), "");
      case 'p' -> padded(flags, "0x" + Long.toHexString(value), "");
      case 's' -> text(flags, string);
      case 'f', 'F', 'e', 'E', 'g', 'G', 'a', 'A' ->
          floating(flags, kind, Double.longBitsToDouble(value));
      default -> "%" + modifiers + kind;
    };
  }

  private static String text(String flags, String string) {
    int dot = flags.indexOf('.');
    String cut = string;
    if (dot >= 0) {
      String digits = flags.substring(dot + 1);
      int most = digits.isEmpty() ? 0 : Integer.parseInt(digits);
      cut = string.substring(0, Math.min(most, string.length()));
    }
    return pad(dot < 0 ? flags : flags.substring(0, dot), cut, false);
  }

  private static String integer(String flags, long value) {
    String sign = value < 0 ? "-" : flags.contains("+") ? "+" : flags.contains(" ") ? " " : "";
    String digits = value < 0 ? Long.toString(value).substring(1) : Long.toString(value);
    return withSign(flags, sign, precise(flags, digits));
  }

  private static String padded(String flags, String digits, String prefix) {
    boolean alternate = flags.contains("#") && !prefix.isEmpty() && !digits.equals("0");
    return withSign(flags, alternate ? prefix : "", precise(flags, digits));
  }

  /** Adds zeros up to the precision. */
  private static String precise(String flags, String digits) {
    int dot = flags.indexOf('.');
    if (dot < 0 || flags.length() == dot + 1) {
      return digits;
    }
    int least = Integer.parseInt(flags.substring(dot + 1));
    return "0".repeat(Math.max(0, least - digits.length())) + digits;
  }

  private static String withSign(String flags, String sign, String digits) {
    int dot = flags.indexOf('.');
    String width = dot < 0 ? flags : flags.substring(0, dot);
    boolean zeros = width.matches("[-+ #]*0.*") && !width.contains("-") && dot < 0;
    if (zeros) {
      int least = width(width);
      return sign + "0".repeat(Math.max(0, least - sign.length() - digits.length())) + digits;
    }
    return pad(width, sign + digits, false);
  }

  private static int width(String flags) {
    String digits = flags.replaceAll("[-+ #]", "").replaceFirst("^0+", "");
    return digits.isEmpty() ? 0 : Math.min(1000, Integer.parseInt(digits));
  }

  private static String pad(String flags, String text, boolean zeros) {
    String fill = (zeros ? "0" : " ").repeat(Math.max(0, width(flags) - text.length()));
    return flags.contains("-") ? text + fill : fill + text;
  }

  private static String floating(String flags, char kind, double value) {
    int dot = flags.indexOf('.');
    String digits = dot < 0 ? "6" : flags.substring(dot + 1);
    int precision = digits.isEmpty() ? 0 : Math.min(100, Integer.parseInt(digits));
    String sign =
        value < 0 || 1 / value < 0
            ? "-"
            : flags.contains("+") ? "+" : flags.contains(" ") ? " " : "";
    double magnitude = Math.abs(value);
    boolean upper = Character.isUpperCase(kind);
    String text;
    if (Double.isNaN(value) || Double.isInfinite(value)) {
      text = Double.isNaN(value) ? "nan" : "inf";
      String plain = (dot < 0 ? flags : flags.substring(0, dot)).replaceFirst("0", "");
      return pad(plain, sign + (upper ? text.toUpperCase(Locale.ROOT) : text), false);
    }
    text =
        switch (Character.toLowerCase(kind)) {
          case 'f' -> fixed(magnitude, precision);
          case 'e' -> scientific(magnitude, precision);
          case 'a' -> Double.toHexString(magnitude).replace(".0p", "p");
          default -> general(magnitude, precision == 0 ? 1 : precision, flags.contains("#"));
        };
    String shown = upper ? text.toUpperCase(Locale.ROOT) : text;
    return withSign(dot < 0 ? flags : flags.substring(0, dot), sign, shown);
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
