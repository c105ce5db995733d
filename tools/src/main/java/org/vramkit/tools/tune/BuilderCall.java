package org.vramkit.tools.tune;

import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.caching.CachingAllocatorBuilder;

/**
 * Formats an option as the builder call that sets it. The option's name determines the method, and
 * the parameter's type determines how the value is written.
 */
final class BuilderCall {
  private static final String NUMBER = "[0-9]+(\\.[0-9]+)?";

  private BuilderCall() {}

  /**
   * Returns a call such as {@code .threadCache(16 * ByteSize.MIB)}, or a call of {@code set} if no
   * method accepts the value.
   */
  static String of(String option, String value) {
    String name = methodName(option);
    return Arrays.stream(CachingAllocatorBuilder.class.getMethods())
        .filter(method -> method.getName().equals(name) && method.getParameterCount() == 1)
        .findFirst()
        .flatMap(method -> argument(method, value))
        .map(argument -> "." + name + "(" + argument + ")")
        .orElse(".set(\"" + option + "\", \"" + value + "\")");
  }

  private static String methodName(String option) {
    StringBuilder name = new StringBuilder();
    for (String word : option.split("-", -1)) {
      name.append(
          name.isEmpty()
              ? word
              : word.substring(0, 1).toUpperCase(Locale.ROOT) + word.substring(1));
    }
    return name.toString();
  }

  private static Optional<String> argument(Method method, String value) {
    Class<?> type = method.getParameterTypes()[0];
    if (type == long.class) {
      return bytes(value);
    }
    if (type == double.class && value.matches(NUMBER)) {
      return Optional.of(value);
    }
    if (type == Duration.class && value.matches(NUMBER)) {
      return Optional.of(duration(new BigDecimal(value)));
    }
    if (type == boolean.class && (value.equals("on") || value.equals("off"))) {
      return Optional.of(String.valueOf(value.equals("on")));
    }
    if (type == String.class) {
      return Optional.of("\"" + value + "\"");
    }
    if (type.isEnum()) {
      String constant = value.toUpperCase(Locale.ROOT).replace('-', '_');
      return Arrays.stream(type.getEnumConstants())
          .filter(each -> each.toString().equals(constant))
          .findFirst()
          .map(each -> type.getSimpleName() + "." + constant);
    }
    return Optional.empty();
  }

  private static String duration(BigDecimal seconds) {
    BigDecimal millis = seconds.movePointRight(3);
    return millis.stripTrailingZeros().scale() <= 0
        ? "Duration.ofMillis(" + millis.toBigInteger() + ")"
        : "Duration.ofNanos(" + seconds.movePointRight(9).toBigInteger() + ")";
  }

  private static Optional<String> bytes(String value) {
    try {
      long bytes = ByteSize.parse(value);
      if (bytes > 0 && bytes % ByteSize.GIB == 0) {
        return Optional.of(bytes / ByteSize.GIB + " * ByteSize.GIB");
      }
      if (bytes > 0 && bytes % ByteSize.MIB == 0) {
        return Optional.of(bytes / ByteSize.MIB + " * ByteSize.MIB");
      }
      return Optional.of(bytes + (bytes > Integer.MAX_VALUE ? "L" : ""));
    } catch (IllegalArgumentException e) {
      // The value has more than a size, such as a history with stacks. Only "set" accepts it.
      return Optional.empty();
    }
  }
}
