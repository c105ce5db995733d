package org.vramkit.tools.top;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import jdk.jfr.DataAmount;
import jdk.jfr.Timespan;
import jdk.jfr.ValueDescriptor;
import jdk.jfr.consumer.RecordedEvent;
import org.vramkit.api.units.ByteSize;

/**
 * The figures of an allocator, or of one of its streams or tags, or of a part for scarce memory, at
 * a moment: what its event has, whatever the version of the other JVM.
 *
 * @param number the number of the allocator or part in its JVM
 * @param reading equal in all events of one reading of an allocator
 * @param labels the fields of text
 * @param values the numbers by field, followed by the unit if the field has one
 */
record Figures(
    Instant time,
    int device,
    long number,
    long reading,
    Map<String, String> labels,
    Map<String, Long> values) {
  private static final Set<String> HEAD =
      Set.of("startTime", "duration", "allocator", "part", "reading");

  /** Reads an event, whose field {@code number} has the number of the allocator or part. */
  static Figures of(RecordedEvent event, String number) {
    Map<String, String> labels = new LinkedHashMap<>();
    Map<String, Long> values = new LinkedHashMap<>();
    for (ValueDescriptor field : event.getFields()) {
      String name = field.getName();
      if (field.getTypeName().equals("long") && !HEAD.contains(name)) {
        values.put(keyOf(field), event.getLong(name));
      } else if (field.getTypeName().equals("java.lang.String")) {
        // A recording may lack a text that an event names.
        String text = event.getString(name);
        labels.put(name, text == null ? "" : text);
      }
    }
    return new Figures(
        event.getStartTime(),
        event.getInt("device"),
        event.getLong(number),
        event.getLong("reading"),
        labels,
        values);
  }

  /** Adds the unit to a name: {@code fragmentBytes}. */
  private static String keyOf(ValueDescriptor field) {
    if (field.getAnnotation(DataAmount.class) != null) {
      return field.getName().replaceFirst("s$", "") + "Bytes";
    }
    return field.getName() + (field.getAnnotation(Timespan.class) != null ? "Nanos" : "");
  }

  /** Returns a number; 0 if the event has none of this name. */
  long get(String key) {
    return values.getOrDefault(key, 0L);
  }

  /** Returns a text; empty if the event has none of this name. */
  String label(String name) {
    return labels.getOrDefault(name, "");
  }

  /** Formats a number with its unit. */
  String text(String key) {
    long value = get(key);
    return key.endsWith("Bytes")
        ? ByteSize.format(value)
        : key.endsWith("Nanos")
            ? String.format(Locale.ROOT, "%.1f ms", value / 1e6)
            : Long.toString(value);
  }

  /** Writes a key in words, without the unit: {@code onHostBytes} as on host. */
  static String wordsOf(String key) {
    return key.replaceFirst("(Bytes|Nanos)$", "")
        .replaceAll("(?<=[a-z])(?=[A-Z])", " ")
        .toLowerCase(Locale.ROOT);
  }
}
