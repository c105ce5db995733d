package org.vramkit.tools.report;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.vramkit.api.units.ByteSize;
import org.vramkit.api.units.Count;
import org.vramkit.tools.page.Front;
import org.vramkit.tools.page.HtmlPage;
import org.vramkit.tools.page.PageTable;
import org.vramkit.tools.tune.Trial;
import org.vramkit.tools.tune.TuneResult;

/** What tuning found: for people, as one JSON document, and as a page. */
public final class TuneReport {
  private TuneReport() {}

  /** Tables of each trace: the best, what each option buys, and what to paste. */
  public static String text(List<TuneResult> results) {
    StringBuilder text = new StringBuilder();
    for (TuneResult result : results) {
      text.append(text.isEmpty() ? "" : "\n").append(heading(result)).append('\n');
      TraceNotes.of(result.trace()).forEach(note -> text.append("  ").append(note).append('\n'));
      text.append('\n');
      table(text, bestColumns(result), bestRows(result).stream());
      text.append("\nWhat one option buys, beside the defaults of all others\n\n");
      table(
          text,
          List.of("option", "reserved", "driver ms", "ns/event"),
          result.getSingleOptions().stream().map(each -> effect(result, each)));
      text.append("\nTo paste\n\n");
      for (Trial each : result.best()) {
        text.append("  ").append(each.combination().getCode()).append('\n');
      }
      result
          .getProblems()
          .forEach(
              (reason, labels) ->
                  text.append("\nNot tried: ")
                      .append(String.join("; ", labels))
                      .append(": ")
                      .append(reason)
                      .append('\n'));
    }
    return text.toString();
  }

  private static void table(StringBuilder text, List<String> columns, Stream<List<String>> rows) {
    TextTable table = new TextTable().row(columns.toArray(new String[0]));
    rows.forEach(row -> table.row(row.toArray(new String[0])));
    text.append(table);
  }

  private static String heading(TuneResult result) {
    long failing =
        result.trials().stream().filter(each -> each.problem() == null && !each.isSound()).count();
    return name(result)
        + ": the best of "
        + Count.of(result.trials().size(), "combination")
        + " on "
        + ByteSize.format(result.deviceBytes())
        + (failing == 0 ? "" : ", of which " + failing + " ran out of memory");
  }

  private static List<String> bestColumns(TuneResult result) {
    List<String> columns =
        new ArrayList<>(List.of("options", "reserved", "ratio", "driver ms", "calls", "ns/event"));
    if (hasSmallest(result)) {
      columns.add("suffices");
    }
    return columns;
  }

  private static boolean hasSmallest(TuneResult result) {
    return result.best().stream().anyMatch(each -> each.smallestBytes() != null);
  }

  /** The best, and the defaults beneath them where they are none of these. */
  private static List<List<String>> bestRows(TuneResult result) {
    List<List<String>> rows = new ArrayList<>();
    result.best().forEach(each -> rows.add(best(result, each, each.combination().getLabel())));
    Trial defaults = result.getDefaults();
    if (!result.best().contains(defaults) && defaults.isSound()) {
      rows.add(best(result, defaults, "(the defaults)"));
    }
    return rows;
  }

  private static List<String> best(TuneResult result, Trial trial, String label) {
    List<String> cells =
        new ArrayList<>(
            List.of(
                label,
                ByteSize.format(trial.reservedBytes()),
                String.format(Locale.ROOT, "%.4f", ratio(result, trial)),
                String.format(Locale.ROOT, "%.2f", trial.driverNanos() / 1e6),
                String.format(Locale.ROOT, "%,d", trial.driverCalls()),
                nanos(trial)));
    if (hasSmallest(result)) {
      Long smallest = trial.smallestBytes();
      cells.add(smallest == null ? "-" : ByteSize.format(smallest));
    }
    return cells;
  }

  private static String nanos(Trial trial) {
    Double nanos = trial.nanosPerEvent();
    return nanos == null ? "-" : String.format(Locale.ROOT, "%.0f", nanos);
  }

  private static double ratio(TuneResult result, Trial trial) {
    long requested = result.trace().getRequestedPeakBytes();
    return requested == 0 ? 1 : (double) trial.reservedBytes() / requested;
  }

  private static List<String> effect(TuneResult result, Trial trial) {
    Trial defaults = result.getDefaults();
    if (!trial.isSound()) {
      return List.of(trial.combination().getLabel(), "out of memory", "-", "-");
    }
    Double own = trial.nanosPerEvent();
    Double other = defaults.nanosPerEvent();
    return List.of(
        trial.combination().getLabel(),
        change(trial.reservedBytes(), defaults.reservedBytes()),
        trial.driverNanos() == defaults.driverNanos()
            ? "same"
            : String.format(
                Locale.ROOT, "%+.2f", (trial.driverNanos() - defaults.driverNanos()) / 1e6),
        own == null || other == null
            ? "-"
            : Math.abs(own - other) < other / 10
                ? "same"
                : String.format(Locale.ROOT, "%+.0f", own - other));
  }

  private static String change(long own, long other) {
    return own == other || other == 0
        ? "same"
        : String.format(Locale.ROOT, "%+.2f %%", 100.0 * (own - other) / other);
  }

  /** An object with the array {@code traces}. */
  public static String json(List<TuneResult> results) {
    ObjectNode root = Json.object();
    ArrayNode traces = root.putArray("traces");
    for (TuneResult result : results) {
      ObjectNode node = traces.addObject();
      node.put("trace", result.trace().getName());
      node.put("deviceBytes", result.deviceBytes());
      node.put("requestedPeakBytes", result.trace().getRequestedPeakBytes());
      node.put("heldBeforeBytes", result.trace().getHeldBeforeBytes());
      Json.texts(node.putArray("notInRecording"), result.trace().getLeftOut());
      ArrayNode combinations = node.putArray("combinations");
      result.trials().forEach(each -> combination(combinations.addObject(), result, each));
    }
    return Json.text(root);
  }

  private static void combination(ObjectNode node, TuneResult result, Trial trial) {
    node.put("allocator", trial.combination().allocator());
    ObjectNode options = node.putObject("options");
    trial.combination().options().forEach(options::put);
    node.put("best", result.best().contains(trial));
    node.put("reservedPeakBytes", trial.reservedBytes());
    node.put("reservedRatio", ratio(result, trial));
    node.put("driverMillis", trial.driverNanos() / 1e6);
    node.put("driverCalls", trial.driverCalls());
    node.put("failedAllocations", trial.failed());
    node.put("nanosPerEvent", trial.nanosPerEvent());
    node.put("sufficientDeviceBytes", trial.smallestBytes());
    node.put("problem", trial.problem());
    node.put("code", trial.combination().getCode());
  }

  /** A page with a chart for each trace. */
  public static HtmlPage page(List<TuneResult> results) {
    List<PageTable> tables = new ArrayList<>();
    List<Front> fronts = new ArrayList<>();
    for (TuneResult result : results) {
      fronts.add(
          new Front(
              name(result),
              Stream.concat(Stream.of(heading(result)), TraceNotes.of(result.trace()).stream())
                  .collect(Collectors.joining("; ")),
              result.trials().stream()
                  .filter(Trial::isSound)
                  .map(each -> point(result, each))
                  .toList()));
      tables.add(new PageTable(bestColumns(result), bestRows(result)));
    }
    return new HtmlPage("tune", tables, fronts, List.of());
  }

  private static Front.Point point(TuneResult result, Trial trial) {
    return new Front.Point(
        trial.combination().getLabel(),
        String.format(
            Locale.ROOT,
            "%s reserved, %.2f ms at the driver, %s ns per event",
            ByteSize.format(trial.reservedBytes()),
            trial.driverNanos() / 1e6,
            nanos(trial)),
        trial.reservedBytes(),
        trial.driverNanos() / 1e6,
        result.best().contains(trial),
        trial.combination().getCode());
  }

  private static String name(TuneResult result) {
    return result.trace().getName().replaceAll("\\p{Cntrl}", "?");
  }
}
