package org.vramkit.tools.report;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.vramkit.api.units.ByteSize;
import org.vramkit.tools.replay.DriverFigures;
import org.vramkit.tools.replay.ReplayPass;
import org.vramkit.tools.replay.ReplayResult;
import org.vramkit.tools.replay.VariedResult;

/** The figures of a replay for people. */
public final class ReplayTable {
  private ReplayTable() {}

  /** The titles of what {@link #cells} answers. */
  static final List<String> COLUMNS =
      List.of(
          "trace",
          "events",
          "requested peak",
          "reserved peak",
          "ratio",
          "driver calls",
          "driver ms",
          "ns/event",
          "steady",
          "failed",
          "hazards");

  /**
   * A table of all traces as they were recorded, the figures over their variations if there are
   * any, then what each one needs to say at length.
   */
  public static String of(List<VariedResult> results) {
    TextTable table = new TextTable().row(COLUMNS.toArray(new String[0]));
    StringBuilder notes = new StringBuilder();
    for (VariedResult result : results) {
      table.row(cells(result.getRecording()).toArray(new String[0]));
      notes.append(notes(result.getRecording()));
    }
    boolean varied = results.get(0).variations().size() > 1;
    return table + "\n" + (varied ? VariationTable.of(results) + "\n" : "") + notes;
  }

  static List<String> cells(ReplayResult result) {
    DriverFigures driver = result.driver();
    Double ratio = result.getReservedRatio();
    Long hazards = result.hazards();
    return List.of(
        name(result),
        count(result.trace().getEventCount()),
        ByteSize.format(result.trace().getRequestedPeakBytes()),
        ByteSize.format(result.getReservedPeakBytes()),
        ratio == null ? "-" : String.format(Locale.ROOT, "%.4f", ratio),
        driver == null
            ? "-"
            : count(driver.calls().values().stream().mapToLong(Long::longValue).sum()),
        driver == null ? "-" : String.format(Locale.ROOT, "%.2f", driver.estimatedNanos() / 1e6),
        String.format(Locale.ROOT, "%.0f", result.getFirstPass().nanosPerEvent()),
        String.format(Locale.ROOT, "%.0f", result.getLastPass().nanosPerEvent()),
        count(result.failedAllocations()),
        hazards == null ? "-" : count(hazards));
  }

  private static String notes(ReplayResult result) {
    StringBuilder text = new StringBuilder();
    text.append(name(result))
        .append(" (")
        .append(result.trace().getFormat().getLabel())
        .append(") through ")
        .append(result.allocator())
        .append(" on ")
        .append(result.backend())
        .append('\n');
    DriverFigures driver = result.driver();
    if (driver != null) {
      text.append("  driver calls: ").append(list(driver.calls())).append('\n');
    }
    pass(text, "first pass", result, result.getFirstPass());
    if (result.passes().size() > 1) {
      pass(text, "last pass", result, result.getLastPass());
    }
    if (result.firstRefusal() != null) {
      text.append("  first refused: ").append(result.firstRefusal()).append('\n');
    }
    if (result.trace().getRecordedFailures() > 0) {
      text.append("  refused when recorded, not replayed: ")
          .append(count(result.trace().getRecordedFailures()))
          .append('\n');
    }
    TraceNotes.of(result.trace()).forEach(note -> text.append("  ").append(note).append('\n'));
    return text.toString();
  }

  /** What a pass cost the program: a share of its own time at the driver, and the longest wait. */
  private static void pass(StringBuilder text, String name, ReplayResult result, ReplayPass pass) {
    text.append("  ").append(name).append(": ");
    DriverFigures driver = pass.driver();
    if (driver != null) {
      text.append(String.format(Locale.ROOT, "driver %.2f ms", driver.estimatedNanos() / 1e6));
      text.append(share(result, pass)).append("; ");
    }
    text.append(String.format(Locale.ROOT, "longest call %.3f ms", pass.longestNanos() / 1e6));
    Long longest = pass.longestDriverNanos();
    if (longest != null) {
      text.append(String.format(Locale.ROOT, ", at the driver %.3f ms", longest / 1e6));
    }
    text.append('\n');
  }

  private static String share(ReplayResult result, ReplayPass pass) {
    double millis = result.getRecordedNanos() / 1e6;
    Double share = result.getDriverShare(pass);
    if (share != null) {
      return String.format(Locale.ROOT, ", %.2f %% of the recorded %,.0f ms", 100 * share, millis);
    }
    return millis == 0
        ? ""
        : String.format(
            Locale.ROOT,
            ", no share of the recorded %.3f ms, which are fewer than %.0f",
            millis,
            ReplayResult.SHORTEST_SHARED_NANOS / 1e6);
  }

  /** The name of the file, which may hold anything, even line breaks. */
  static String name(ReplayResult result) {
    return result.trace().getName().replaceAll("\\p{Cntrl}", "?");
  }

  private static String list(Map<String, Long> counts) {
    return counts.isEmpty()
        ? "none"
        : counts.entrySet().stream()
            .map(entry -> entry.getKey() + " " + count(entry.getValue()))
            .collect(Collectors.joining(", "));
  }

  private static String count(long value) {
    return String.format(Locale.ROOT, "%,d", value);
  }
}
