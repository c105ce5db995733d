package org.vramkit.pool.caching.internal.option;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.vramkit.api.device.Device;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.caching.AllocatorOption;

/** Options as text. */
public final class OptionText {
  private static final Pattern DECIMAL =
      Pattern.compile("[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?");
  private static final Pattern WHOLE_NUMBER = Pattern.compile("[+-]?[0-9]+");

  private OptionText() {}

  /** Returns all options that can be written as text, the most important first. */
  public static List<AllocatorOption> list() {
    return Option.rows().stream().map(OptionText::describe).toList();
  }

  private static AllocatorOption describe(Option<?> option) {
    return new AllocatorOption(option.name, unit(option), defaultOf(option), option.text);
  }

  private static String unit(Option<?> option) {
    return option.kind != Option.Kind.CHOICE
        ? option.kind.unit
        : Arrays.stream(((Enum<?>) option.defaultValue).getDeclaringClass().getEnumConstants())
            .map(each -> ((Enum<?>) each).name().toLowerCase(Locale.ROOT).replace('_', '-'))
            .collect(Collectors.joining(", "));
  }

  private static String defaultOf(Option<?> option) {
    Object value = option.defaultValue;
    return switch (option.kind) {
      case CHOICE -> ((Enum<?>) value).name().toLowerCase(Locale.ROOT).replace('_', '-');
      case SIZE -> (Long) value == 0 ? "0" : (Long) value / ByteSize.MIB + "MiB";
      case SHARE -> BigDecimal.valueOf((Double) value).toPlainString();
      case SECONDS, HISTORY -> "0";
      case LIMIT, DEVICES, DIVISIONS -> "none";
      case OBJECT -> "";
    };
  }

  /**
   * Sets an option.
   *
   * @param device the device of the allocator
   * @throws InvalidArgumentException if the name is unknown or the value invalid
   */
  public static CachingAllocatorOptions set(
      CachingAllocatorOptions options, Device device, String name, String value) {
    Option<?> option = Option.named(name);
    if (option == null) {
      throw new InvalidArgumentException(
          "unknown option '"
              + name
              + "'; known are "
              + Option.rows().stream().map(each -> each.name).collect(Collectors.joining(", ")));
    }
    try {
      return set(options, option, device, value.trim());
    } catch (InvalidArgumentException e) {
      String message = String.valueOf(e.getMessage());
      // A message without the name comes from elsewhere, such as the backend.
      throw message.contains(name)
          ? e
          : new InvalidArgumentException(
              "option " + name + " cannot be '" + value + "': " + message);
    } catch (IllegalArgumentException e) {
      // Only the message of the parser of sizes says what is wrong.
      String unit = unit(option);
      throw new InvalidArgumentException(
          "option "
              + name
              + (unit.startsWith("size")
                  ? ": " + e.getMessage()
                  : " takes " + unit + ", not '" + value + "'"));
    }
  }

  @SuppressWarnings("unchecked") // the kind of an option decides the type of its value
  private static <T> CachingAllocatorOptions set(
      CachingAllocatorOptions options, Option<T> option, Device device, String value) {
    Object parsed =
        switch (option.kind) {
          case CHOICE -> choice(((Enum<?>) option.defaultValue).getDeclaringClass(), value);
          case SIZE -> ByteSize.parse(value);
          case LIMIT -> limit(device, value);
          case SHARE -> decimal(value);
          case SECONDS -> seconds(option, value);
          case DEVICES -> devices(device, value);
          case DIVISIONS -> RoundingDivisions.parse(value);
          case HISTORY -> history(value);
          case OBJECT -> throw new IllegalStateException(option.name);
        };
    return options.with(option, (T) parsed);
  }

  private static Object choice(Class<?> type, String value) {
    String constant = value.toUpperCase(Locale.ROOT).replace('-', '_');
    return Arrays.stream(type.getEnumConstants())
        .filter(each -> ((Enum<?>) each).name().equals(constant))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no " + constant));
  }

  private static Option.History history(String value) {
    String[] parts = value.split(",", -1);
    if (parts.length > 2 || (parts.length == 2 && !parts[1].strip().equals("stacks"))) {
      throw new InvalidArgumentException(
          "option history takes a size, or a size and stacks as 64MiB,stacks; not '" + value + "'");
    }
    return new Option.History(ByteSize.parse(parts[0].strip()), parts.length == 2);
  }

  /**
   * Parses a decimal number. Java's parser also accepts digits of every script, hexadecimal numbers
   * and type suffixes.
   */
  private static double decimal(String value) {
    if (!DECIMAL.matcher(value).matches()) {
      throw new IllegalArgumentException("no decimal number: " + value);
    }
    return Double.parseDouble(value);
  }

  private static int wholeNumber(String value) {
    if (!WHOLE_NUMBER.matcher(value).matches()) {
      throw new IllegalArgumentException("no whole number: " + value);
    }
    return Integer.parseInt(value);
  }

  private static long limit(Device device, String value) {
    if (value.equals("none")) {
      return Long.MAX_VALUE;
    }
    if (!value.endsWith("%")) {
      requireUnit(value);
      return ByteSize.parse(value);
    }
    String number = value.substring(0, value.length() - 1).strip();
    double percent = DECIMAL.matcher(number).matches() ? decimal(number) : Double.NaN;
    OptionRange.check(
        Option.LIMIT, percent >= 0 && percent <= 100, "from 0% to 100%, not " + value);
    return (long) (percent / 100 * device.getProperties().totalMemoryBytes());
  }

  /** Refuses a number that is a share or lacks its unit: so few bytes serve no request. */
  private static void requireUnit(String value) {
    double number = DECIMAL.matcher(value).matches() ? decimal(value) : 0;
    if (number > 0 && number <= 100) {
      BigDecimal percent = new BigDecimal(value).movePointRight(number < 1 ? 2 : 0);
      throw new InvalidArgumentException(
          "option limit: '"
              + value
              + "' would be bytes; write "
              + percent.stripTrailingZeros().toPlainString()
              + "% for a share of the device's memory, or add a unit");
    }
  }

  private static List<Device> devices(Device own, String ordinals) {
    return ordinals.equals("none")
        ? List.of()
        : Stream.of(ordinals.split(",", -1))
            .map(ordinal -> own.getBackend().getDevice(wholeNumber(ordinal.strip())))
            .filter(each -> !each.equals(own))
            .distinct()
            .toList();
  }

  private static Duration seconds(Option<?> option, String value) {
    double seconds = decimal(value);
    // Checked before the conversion to a duration, which would overflow.
    OptionRange.requireTime(
        option, seconds >= 0 && seconds <= OptionRange.LONGEST.toSeconds(), value);
    return Duration.ofNanos((long) Math.ceil(seconds * 1e9));
  }
}
