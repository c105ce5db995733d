package org.vramkit.pool.caching;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Stream;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.pool.caching.internal.option.OptionText;

/**
 * Reads options from system properties and an environment variable, so that they can be set without
 * a change of the program. Options that the program sets take precedence, then properties, then the
 * variable.
 */
final class ConfiguredOptions {
  /** Prefix of the properties, followed by the name of an option. */
  static final String PREFIX = "vramkit.allocator.";

  /** The variable, written {@code name=value,name=value}. */
  static final String VARIABLE = "VRAMKIT_ALLOCATOR_CONF";

  /** The short property for the level of leak detection. */
  static final String LEAK_DETECTION = "vramkit.leak-detection";

  /** The check of other properties. Programs that set none do not load the list of options. */
  private static final class Others {
    static final UnknownProperties CHECK =
        new UnknownProperties(
            Stream.concat(
                    OptionText.list().stream().map(each -> PREFIX + each.name()),
                    Stream.of(
                        LEAK_DETECTION,
                        OutOfMemorySnapshots.PROPERTY,
                        "vramkit.backend",
                        "vramkit.programs",
                        "vramkit.schedule",
                        "vramkit.seed",
                        "vramkit.sim.devices"))
                .toList());
  }

  private ConfiguredOptions() {}

  /**
   * Applies the options to a builder.
   *
   * @throws InvalidArgumentException if a name or value is invalid; the message names its source
   */
  static void apply(
      CachingAllocatorBuilder builder, Map<String, String> variables, Properties properties) {
    String variable = variables.get(VARIABLE);
    if (variable != null) {
      split(variable)
          .forEach(
              (name, value) -> builder.setFrom("environment variable " + VARIABLE, name, value));
    }
    String leaks = properties.getProperty(LEAK_DETECTION);
    if (leaks != null) {
      builder.setFrom("system property " + LEAK_DETECTION, "leak-detection", leaks);
    }
    for (String key : properties.stringPropertyNames()) {
      if (key.startsWith(PREFIX)) {
        String name = key.substring(PREFIX.length());
        builder.setFrom("system property " + key, name, properties.getProperty(key));
      } else if (key.startsWith(UnknownProperties.PREFIX)) {
        Others.CHECK.check(key);
      }
    }
  }

  /**
   * Splits the variable. A part without a name continues the value before it, which may be a list.
   */
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
}
