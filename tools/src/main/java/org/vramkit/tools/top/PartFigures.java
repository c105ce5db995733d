package org.vramkit.tools.top;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import jdk.jfr.DataAmount;
import jdk.jfr.Timespan;
import jdk.jfr.ValueDescriptor;
import jdk.jfr.consumer.RecordedEvent;
import org.vramkit.api.units.ByteSize;
import org.vramkit.tools.report.TextTable;

/**
 * The figures of an admission, a spill store, a retry or a waiting allocator at a moment. A figure
 * has the name of its event field, followed by the unit if the field has one.
 */
record PartFigures(Instant time, Kind kind, long part, int device, Map<String, Long> values) {
  /** A kind of part: its event, its name in JSON, and the columns of its table. */
  enum Kind {
    ADMISSION(
        "AdmissionStatistics",
        "admissions",
        List.of("capacityBytes", "grantedBytes", "usedBytes", "running", "waiting", "admitted")),
    SPILL_STORE(
        "SpillStatistics",
        "spillStores",
        List.of("onDeviceBytes", "onHostBytes", "onDiskBytes", "spilledBytes", "failures")),
    RETRY(
        "RetryStatistics",
        "retries",
        List.of("running", "blocked", "rolledBack", "tasks", "rollbacks", "splits")),
    WAITING_ALLOCATOR(
        "WaitingStatistics",
        "waitingAllocators",
        List.of("liveBytes", "waiting", "served", "failed"));

    final String event;
    final String json;

    @SuppressWarnings("ImmutableEnumChecker") // made by List.of
    private final List<String> columns;

    Kind(String event, String json, List<String> columns) {
      this.event = "org.vramkit." + event;
      this.json = json;
      this.columns = columns;
    }

    /** Formats the figures of this kind as a table. */
    String table(List<PartFigures> parts) {
      TextTable table = new TextTable();
      table.row(row(headerOf(name()), columns.stream().map(Kind::headerOf).toList()));
      for (PartFigures each : parts) {
        table.row(row(Long.toString(each.part), columns.stream().map(each::text).toList()));
      }
      return table.toString();
    }

    private static String[] row(String first, List<String> others) {
      return Stream.concat(Stream.of(first), others.stream()).toArray(String[]::new);
    }

    /** Writes a name as a header: {@code onHostBytes} as ON HOST. */
    private static String headerOf(String name) {
      return name.replaceFirst("Bytes$", "")
          .replace('_', ' ')
          .replaceAll("(?<=[a-z])(?=[A-Z])", " ")
          .toUpperCase(Locale.ROOT);
    }
  }

  static PartFigures of(Kind kind, RecordedEvent event) {
    Map<String, Long> values = new LinkedHashMap<>();
    for (ValueDescriptor field : event.getFields()) {
      String name = field.getName();
      if (field.getTypeName().equals("long") && !name.equals("startTime") && !name.equals("part")) {
        values.put(name + unitOf(field), event.getLong(name));
      }
    }
    return new PartFigures(
        event.getStartTime(), kind, event.getLong("part"), event.getInt("device"), values);
  }

  private static String unitOf(ValueDescriptor field) {
    return field.getAnnotation(DataAmount.class) != null
        ? "Bytes"
        : field.getAnnotation(Timespan.class) != null ? "Nanos" : "";
  }

  private String text(String name) {
    long value = values.getOrDefault(name, 0L);
    return name.endsWith("Bytes") ? ByteSize.format(value) : Long.toString(value);
  }
}
