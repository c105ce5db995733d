package org.vramkit.tools.report;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.units.ByteSize;
import org.vramkit.tools.replay.DriverFigures;
import org.vramkit.tools.replay.ReplayPass;
import org.vramkit.tools.replay.ReplayResult;
import org.vramkit.tools.replay.VariedResult;

/**
 * Formats the figures of a replay as tables of 80 columns for memory, driver time and host time.
 * The title of each table says whether its figures are counted, modelled or measured.
 */
public final class ReplayTable {
  private static final String NONE = "-";

  private final Style style;
  private final List<VariedResult> results;
  private final TraceLabels labels;

  private ReplayTable(Style style, List<VariedResult> results) {
    this.style = style;
    this.results = results;
    this.labels =
        new TraceLabels(results.stream().map(each -> each.getRecording().trace()).toList());
  }

  /**
   * Formats the figures of the recordings, then the figures over variations, if there are any, and
   * then the notes on each trace.
   */
  public static String of(List<VariedResult> results, Style style) {
    ReplayTable tables = new ReplayTable(style, results);
    boolean varied = results.get(0).variations().size() > 1;
    return tables.memory()
        + "\n"
        + tables.driver()
        + tables.host()
        + "\n"
        + (varied ? VariationTable.of(results, style) + "\n" : "")
        + results.stream()
            .map(VariedResult::getRecording)
            .map(ReplayTable::notes)
            .collect(Collectors.joining());
  }

  private String memory() {
    TextTable table = table(0).alarm(5).alarm(6);
    table.row("trace", "events", "requested", "reserved", "ratio", "failed", "hazards");
    for (VariedResult each : results) {
      ReplayResult result = each.getRecording();
      Double ratio = result.getReservedRatio();
      Long hazards = result.hazards();
      table.row(
          labels.of(result.trace()),
          count(result.trace().getEventCount()),
          ByteSize.format(result.trace().getRequestedPeakBytes()),
          ByteSize.format(result.getReservedPeakBytes()),
          ratio == null ? NONE : String.format(Locale.ROOT, "%.4f", ratio),
          count(result.failedAllocations()),
          hazards == null ? NONE : count(hazards));
    }
    return title("Memory at the peak, as the allocator counts it") + table;
  }

  /** Formats driver calls by pass; empty for a backend that does not count them. */
  private String driver() {
    ReplayResult first = results.get(0).getRecording();
    if (first.driver() == null) {
      return "";
    }
    TextTable table = table(1);
    table.row("trace", "pass", "calls", "ms", "% of run", "longest call us");
    forEachPass(
        (result, name, pass) -> {
          DriverFigures driver = pass.driver();
          Double share = result.getDriverShare(pass);
          Long longest = pass.longestDriverNanos();
          table.row(
              labels.of(result.trace()),
              name,
              driver == null ? NONE : count(calls(driver)),
              driver == null ? NONE : String.format(Locale.ROOT, "%.2f", millis(driver)),
              share == null ? NONE : String.format(Locale.ROOT, "%.2f", 100 * share),
              longest == null ? NONE : count(longest / 1000));
        });
    String source =
        isModelled(first)
            ? "Driver time, modelled from the measured costs of an H200: no GPU is used"
            : "Driver time, measured";
    return title(source) + table + "\n";
  }

  private String host() {
    TextTable table = table(1);
    table.row("trace", "pass", "ns/event", "longest call us");
    forEachPass(
        (result, name, pass) ->
            table.row(
                labels.of(result.trace()),
                name,
                String.format(Locale.ROOT, "%,.0f", pass.nanosPerEvent()),
                count(pass.longestNanos() / 1000)));
    String source = "Time in allocate and close, measured by this machine's clock";
    boolean modelled = isModelled(results.get(0).getRecording());
    return title(modelled ? source + ", simulator included" : source) + table;
  }

  private interface PassRow {
    void add(ReplayResult result, String name, ReplayPass pass);
  }

  /** Visits the first pass of each trace and, if there are several, the last. */
  private void forEachPass(PassRow row) {
    for (VariedResult each : results) {
      ReplayResult result = each.getRecording();
      row.add(result, "first", result.getFirstPass());
      if (result.passes().size() > 1) {
        row.add(result, "last", result.getLastPass());
      }
    }
  }

  private TextTable table(int leftColumn) {
    return new TextTable(style).left(leftColumn).wrap(0, TraceLabels.WIDTH);
  }

  private String title(String text) {
    return style.heading(text) + "\n";
  }

  private static String notes(ReplayResult result) {
    StringBuilder text = new StringBuilder();
    String format = result.trace().getFormat().getLabel();
    String way = " through " + result.allocator() + " on " + result.backend();
    text.append(Lines.wrap(TraceLabels.name(result.trace()) + " (" + format + ")" + way, 0));
    DriverFigures driver = result.driver();
    if (driver != null) {
      note(text, "driver calls: " + list(driver.calls()));
    }
    note(text, missingShare(result));
    if (result.firstRefusal() != null) {
      note(text, "first failed: " + result.firstRefusal());
    }
    if (result.trace().getRecordedFailures() > 0) {
      note(
          text,
          "failed in the recording, not replayed: " + count(result.trace().getRecordedFailures()));
    }
    TraceNotes.of(result.trace()).forEach(note -> note(text, note));
    return text.toString();
  }

  private static void note(StringBuilder text, @Nullable String note) {
    text.append(note == null ? "" : Lines.wrap(note, 2));
  }

  /** Explains why a recording has no share of driver time; null if it has one. */
  private static @Nullable String missingShare(ReplayResult result) {
    double millis = result.getRecordedNanos() / 1e6;
    return result.driver() == null
            || millis == 0
            || result.getDriverShare(result.getFirstPass()) != null
        ? null
        : String.format(
            Locale.ROOT,
            "no %% of run: the recording lasts %.3f ms, less than %.0f ms",
            millis,
            ReplayResult.SHORTEST_SHARED_NANOS / 1e6);
  }

  /** Returns whether driver times come from the simulator's cost model. */
  static boolean isModelled(ReplayResult result) {
    return result.getFirstPass().longestDriverNanos() != null;
  }

  static long calls(DriverFigures driver) {
    return driver.calls().values().stream().mapToLong(Long::longValue).sum();
  }

  static double millis(DriverFigures driver) {
    return driver.estimatedNanos() / 1e6;
  }

  private static String list(Map<String, Long> counts) {
    return counts.isEmpty()
        ? "none"
        : counts.entrySet().stream()
            .map(entry -> entry.getKey() + " " + count(entry.getValue()))
            .collect(Collectors.joining(", "));
  }

  static String count(long value) {
    return String.format(Locale.ROOT, "%,d", value);
  }
}
