package org.vramkit.tools.report;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.vramkit.api.units.ByteSize;
import org.vramkit.api.units.Count;
import org.vramkit.tools.page.HtmlPage;
import org.vramkit.tools.page.PageTable;
import org.vramkit.tools.page.ParetoChart;
import org.vramkit.tools.tune.HostTime;
import org.vramkit.tools.tune.Trial;
import org.vramkit.tools.tune.TuneResult;

/** Formats results of tuning as text, JSON or an HTML page. */
public final class TuneReport {
  private static final String SAME = "same";
  private static final int LABEL_WIDTH = 28;

  /** The index of {@code ns/event} among the columns of a page. */
  private static final int TIME_COLUMN = 5;

  /** The dot between two calls of a builder chain. */
  private static final Pattern METHOD = Pattern.compile("(?<=\\))\\.(?=[a-z])");

  private TuneReport() {}

  /** Formats tables of 80 columns: the Pareto front, each option's effect, and code to paste. */
  public static String text(List<TuneResult> results, Style style) {
    StringBuilder text = new StringBuilder();
    for (TuneResult result : results) {
      text.append(text.isEmpty() ? "" : "\n").append(Lines.wrap(heading(result), 0));
      TraceNotes.of(result.trace()).forEach(note -> text.append(Lines.wrap(note, 2)));
      title(text, style, "Reserved memory, counted, and driver time, modelled: no GPU is used");
      table(text, style, memoryColumns(result), memoryRows(result).stream());
      title(text, style, "Host time for each event, measured by this machine's clock");
      table(text, style, List.of("options", "ns/event", "least", "most"), timeRows(result));
      effects(text, style, result);
      recommendation(text, style, result);
      if (!result.best().isEmpty()) {
        title(text, style, "To paste");
      }
      result
          .best()
          .forEach(
              each -> {
                text.append(Lines.wrap(each.combination().getLabel() + ":", 0));
                code(text, each);
              });
      result
          .getProblems()
          .forEach(
              (reason, labels) ->
                  text.append('\n')
                      .append(
                          Lines.wrap(
                              "Not tried: " + String.join("; ", labels) + ": " + reason, 0)));
    }
    return text.toString();
  }

  private static void title(StringBuilder text, Style style, String title) {
    text.append('\n').append(style.heading(title)).append('\n');
  }

  /** Appends the builder call, one method per line if it is long. */
  private static void code(StringBuilder text, Trial trial) {
    String code = trial.combination().getCode();
    boolean isLong = code.length() > Lines.WIDTH - 2;
    text.append("  ").append(isLong ? METHOD.matcher(code).replaceAll("\n      .") : code);
    text.append('\n');
  }

  /**
   * Appends a row for each option with a significant effect, and one line that lists the other
   * options.
   */
  private static void effects(StringBuilder text, Style style, TuneResult result) {
    List<List<String>> rows = new ArrayList<>();
    List<String> without = new ArrayList<>();
    for (Trial each : result.getSingleOptions()) {
      List<String> row = effect(result, each);
      if (row.stream().skip(1).allMatch(SAME::equals)) {
        without.add(row.get(0));
      } else {
        rows.add(row);
      }
    }
    if (rows.isEmpty() && without.isEmpty()) {
      return;
    }
    title(text, style, "Effect of each option alone, all others at their defaults");
    if (!rows.isEmpty()) {
      table(text, style, List.of("option", "reserved", "driver ms", "ns/event"), rows.stream());
    }
    if (!without.isEmpty()) {
      text.append(Lines.wrap("No significant effect: " + String.join(", ", without), 0));
    }
  }

  private static void recommendation(StringBuilder text, Style style, TuneResult result) {
    Trial recommended = result.getRecommended();
    if (recommended == null) {
      return;
    }
    Trial defaults = result.getDefaults();
    title(text, style, "Recommended");
    if (recommended.equals(defaults)) {
      text.append(
          Lines.wrap(
              "The defaults: no option saves 1 % of the memory, or 10 % and 1 ms of the driver"
                  + " time, without more driver or host time.",
              0));
    } else {
      String label = recommended.combination().getLabel();
      if (defaults.isSound()) {
        List<String> effect = effect(result, recommended);
        label += ": reserved " + effect.get(1) + ", driver ms " + effect.get(2);
        label += " against the defaults";
      }
      text.append(Lines.wrap(label, 0));
    }
    code(text, recommended);
  }

  private static double driverMillis(Trial trial, Trial defaults) {
    return (trial.driverNanos() - defaults.driverNanos()) / 1e6;
  }

  private static void table(
      StringBuilder text, Style style, List<String> columns, Stream<List<String>> rows) {
    TextTable table = new TextTable(style).wrap(0, LABEL_WIDTH).row(columns.toArray(new String[0]));
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

  /** Returns the Pareto front by label, followed by the defaults if they are not on it. */
  private static Map<String, Trial> bestByLabel(TuneResult result) {
    Map<String, Trial> trials = new LinkedHashMap<>();
    result.best().forEach(each -> trials.put(each.combination().getLabel(), each));
    Trial defaults = result.getDefaults();
    if (!result.best().contains(defaults) && defaults.isSound()) {
      trials.put("(the defaults)", defaults);
    }
    return trials;
  }

  private static List<List<String>> bestRows(TuneResult result) {
    List<List<String>> rows = new ArrayList<>();
    bestByLabel(result).forEach((label, trial) -> rows.add(best(result, trial, label)));
    return rows;
  }

  private static List<String> memoryColumns(TuneResult result) {
    return without(bestColumns(result), TIME_COLUMN);
  }

  private static List<List<String>> memoryRows(TuneResult result) {
    return bestRows(result).stream().map(row -> without(row, TIME_COLUMN)).toList();
  }

  private static List<String> without(List<String> cells, int column) {
    List<String> others = new ArrayList<>(cells);
    others.remove(column);
    return others;
  }

  private static Stream<List<String>> timeRows(TuneResult result) {
    return bestByLabel(result).entrySet().stream()
        .map(
            entry -> {
              HostTime time = entry.getValue().hostTime();
              return time == null
                  ? List.of(entry.getKey(), "-", "-", "-")
                  : List.of(
                      entry.getKey(),
                      String.format(Locale.ROOT, "%,.0f", time.median()),
                      String.format(Locale.ROOT, "%,.0f", time.fastest()),
                      String.format(Locale.ROOT, "%,.0f", time.slowest()));
            });
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
      // A value for --device-memory.
      cells.add(smallest == null ? "-" : ByteSize.formatOption(smallest));
    }
    return cells;
  }

  /** Formats the median with minimum and maximum. */
  private static String nanos(Trial trial) {
    HostTime time = trial.hostTime();
    return time == null
        ? "-"
        : String.format(
            Locale.ROOT, "%.0f (%.0f to %.0f)", time.median(), time.fastest(), time.slowest());
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
    HostTime own = trial.hostTime();
    HostTime other = defaults.hostTime();
    return List.of(
        trial.combination().getLabel(),
        trial.reservesLessThan(defaults) || defaults.reservesLessThan(trial)
            ? change(trial.reservedBytes(), defaults.reservedBytes())
            : SAME,
        trial.callsLessThan(defaults) || defaults.callsLessThan(trial)
            ? String.format(Locale.ROOT, "%+.2f", driverMillis(trial, defaults))
            : SAME,
        own != null
                && other != null
                && (trial.isQuickerThan(defaults) || defaults.isQuickerThan(trial))
            ? String.format(Locale.ROOT, "%+.0f", own.median() - other.median())
            : SAME);
  }

  private static String change(long own, long other) {
    return other == 0 ? "-" : String.format(Locale.ROOT, "%+.2f %%", 100.0 * (own - other) / other);
  }

  /** Formats a JSON object with the array {@code traces}. */
  public static String json(List<TuneResult> results) {
    ObjectNode root = Json.object();
    ArrayNode traces = root.putArray("traces");
    for (TuneResult result : results) {
      ObjectNode node = traces.addObject();
      node.put("trace", result.trace().getName());
      node.put("deviceBytes", result.deviceBytes());
      node.put("requestedPeakBytes", result.trace().getRequestedPeakBytes());
      node.put("heldBeforeBytes", result.trace().getHeldBeforeBytes());
      Json.texts(node.putArray("notInRecording"), result.trace().getGaps());
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
    node.put("recommended", trial.equals(result.getRecommended()));
    node.put("reservedPeakBytes", trial.reservedBytes());
    node.put("reservedRatio", ratio(result, trial));
    node.put("driverMillis", trial.driverNanos() / 1e6);
    node.put("driverCalls", trial.driverCalls());
    node.put("failedAllocations", trial.failed());
    HostTime time = trial.hostTime();
    node.put("nanosPerEvent", time == null ? null : (Double) time.median());
    node.put("fastestNanosPerEvent", time == null ? null : (Double) time.fastest());
    node.put("slowestNanosPerEvent", time == null ? null : (Double) time.slowest());
    node.put("sufficientDeviceBytes", trial.smallestBytes());
    node.put("problem", trial.problem());
    node.put("code", trial.combination().getCode());
  }

  /** Builds a page with a chart for each trace. */
  public static HtmlPage page(List<TuneResult> results) {
    List<PageTable> tables = new ArrayList<>();
    List<ParetoChart> fronts = new ArrayList<>();
    for (TuneResult result : results) {
      fronts.add(
          new ParetoChart(
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

  private static ParetoChart.Point point(TuneResult result, Trial trial) {
    return new ParetoChart.Point(
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
