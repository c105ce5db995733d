package org.vramkit.pool.caching;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;
import org.vramkit.api.error.InvalidArgumentException;

/**
 * Options that whoever starts a program gives it, without a change of the program: system
 * properties, and one environment variable for all of them. What the program says itself counts
 * more, and a property more than the variable.
 */
final class ConfiguredOptions {
  /** What names of properties begin with; the rest is the name of an option. */
  static final String PREFIX = "vramkit.allocator.";

  /** Options as {@code name=value,name=value}. */
  static final String VARIABLE = "VRAMKIT_ALLOCATOR_CONF";

  /** The level of leak detection, as short as people know it. */
  static final String LEAK_DETECTION = "vramkit.leak-detection";

  private ConfiguredOptions() {}

  /**
   * Has a builder take them.
   *
   * @throws InvalidArgumentException if there is no such option, naming those there are, or if a
   *     value does not fit; tells where it stood
   */
  static void apply(
      CachingAllocatorBuilder builder, Map<String, String> variables, Properties properties) {
    String variable = variables.get(VARIABLE);
    if (variable != null) {
      split(variable)
          .forEach((name, value) -> set(builder, name, value, "environment variable " + VARIABLE));
    }
    String leaks = properties.getProperty(LEAK_DETECTION);
    if (leaks != null) {
      set(builder, "leak-detection", leaks, "system property " + LEAK_DETECTION);
    }
    for (String key : properties.stringPropertyNames()) {
      if (key.startsWith(PREFIX)) {
        String name = key.substring(PREFIX.length());
        set(builder, name, properties.getProperty(key), "system property " + key);
      }
    }
  }

  /** A value may be a list itself: what has no name goes on with the value before it. */
  private static Map<String, String> split(String text) {
    Map<String, String> options = new LinkedHashMap<>();
    String last = null;
    for (String part : text.split(",", -1)) {
      int equals = part.indexOf('=');
      if (equals >= 0) {
        last = part.substring(0, equals).strip();
        options.put(last, part.substring(equals + 1).strip());
      } else if (last != null && !part.isBlank()) {
        options.merge(last, part.strip(), (value, more) -> value + "," + more);
      } else if (!part.isBlank()) {
        throw new InvalidArgumentException(
            "environment variable "
                + VARIABLE
                + ": '"
                + part
                + "' has no value; write options as limit=4GiB,decay=10");
      }
    }
    return options;
  }

  private static void set(
      CachingAllocatorBuilder builder, String name, String value, String source) {
    try {
      builder.set(name, value);
    } catch (InvalidArgumentException e) {
      throw new InvalidArgumentException(source + ": " + e.getMessage());
    }
  }
}
