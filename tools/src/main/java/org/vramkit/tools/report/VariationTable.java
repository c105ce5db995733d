package org.vramkit.tools.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.vramkit.tools.replay.MeanAndWorst;
import org.vramkit.tools.replay.VariedResult;

/** Formats mean and worst of figures over variations, in tables of 80 columns. */
public final class VariationTable {
  /** A figure with two columns, for its mean and its worst. */
  private record Column(
      String title,
      Function<VariedResult, @Nullable MeanAndWorst> figure,
      double unit,
      String format) {

    String mean(@Nullable MeanAndWorst spread) {
      return spread == null ? "-" : cell(spread.mean());
    }

    String worst(@Nullable MeanAndWorst spread) {
      return spread == null ? "-" : cell(spread.worst());
    }

    private String cell(double value) {
      return String.format(Locale.ROOT, format, value / unit);
    }
  }

  private static final List<Column> MEMORY =
      List.of(new Column("ratio", VariedResult::getReservedRatio, 1, "%.3f"));
  private static final List<Column> SHARES =
      List.of(
          new Column("first pass", VariedResult::getFirstDriverShare, 0.01, "%.2f"),
          new Column("later", VariedResult::getLaterDriverShare, 0.01, "%.2f"));
  private static final List<Column> MISSES =
      List.of(
          new Column("first pass", VariedResult::getFirstMisses, 1, "%.0f"),
          new Column("later", VariedResult::getLaterMisses, 1, "%.0f"));
  private static final List<Column> LONGEST =
      List.of(
          new Column("first pass", VariedResult::getFirstLongestDriverNanos, 1e3, "%.0f"),
          new Column("later", VariedResult::getLaterLongestDriverNanos, 1e3, "%.0f"));

  private VariationTable() {}

  /** Formats a row per program and, if there are several, their mean and worst. */
  public static String of(List<VariedResult> results, Style style) {
    TraceLabels labels =
        new TraceLabels(results.stream().map(each -> each.getRecording().trace()).toList());
    boolean modelled = ReplayTable.isModelled(results.get(0).getRecording());
    String source = modelled ? ", modelled" : ", measured";
    String over = "Over " + results.get(0).variations().size() + " variations: ";
    return table(results, labels, style, over + "reserved / requested", MEMORY)
        + "\n"
        + table(
            results, labels, style, over + "driver time as % of the recorded time" + source, SHARES)
        + "\n"
        + table(results, labels, style, over + "driver calls that take memory, counted", MISSES)
        + "\n"
        + table(
            results, labels, style, over + "driver time of the longest call, us" + source, LONGEST);
  }

  private static String table(
      List<VariedResult> results,
      TraceLabels labels,
      Style style,
      String title,
      List<Column> columns) {
    List<String> header = new ArrayList<>(List.of("trace"));
    columns.forEach(column -> header.addAll(List.of(column.title(), "worst")));
    TextTable table =
        new TextTable(style).wrap(0, TraceLabels.WIDTH).row(header.toArray(new String[0]));
    for (VariedResult result : results) {
      row(
          table,
          columns,
          labels.of(result.getRecording().trace()),
          column -> column.figure().apply(result));
    }
    if (results.size() > 1) {
      row(table, columns, "mean", column -> mean(results, column));
    }
    return style.heading(title) + "\n" + table;
  }

  private static void row(
      TextTable table,
      List<Column> columns,
      String name,
      Function<Column, @Nullable MeanAndWorst> spreads) {
    List<String> cells = new ArrayList<>(List.of(name));
    for (Column column : columns) {
      MeanAndWorst spread = spreads.apply(column);
      cells.add(column.mean(spread));
      cells.add(column.worst(spread));
    }
    table.row(cells.toArray(new String[0]));
  }

  /** Returns mean and worst over the programs that have the figure, or null. */
  private static @Nullable MeanAndWorst mean(List<VariedResult> results, Column column) {
    List<MeanAndWorst> spreads =
        results.stream().map(column.figure()).filter(spread -> spread != null).toList();
    return spreads.isEmpty()
        ? null
        : new MeanAndWorst(
            spreads.stream().mapToDouble(MeanAndWorst::mean).average().orElseThrow(),
            spreads.stream().mapToDouble(MeanAndWorst::worst).max().orElseThrow());
  }
}
