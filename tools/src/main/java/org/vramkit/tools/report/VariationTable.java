package org.vramkit.tools.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.vramkit.tools.replay.Spread;
import org.vramkit.tools.replay.VariedResult;

/** Figures over the variations of programs, mean and worst of each, in tables of 80 columns. */
public final class VariationTable {
  /** A figure, which takes a column for its mean and one for its worst. */
  private record Column(
      String title, Function<VariedResult, @Nullable Spread> figure, double unit, String format) {

    String mean(@Nullable Spread spread) {
      return spread == null ? "-" : cell(spread.mean());
    }

    String worst(@Nullable Spread spread) {
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

  /** A row for each program and, of several, one with the means of all and the worst of each. */
  public static String of(List<VariedResult> results, Style style) {
    boolean modelled = ReplayTable.isModelled(results.get(0).getRecording());
    String source = modelled ? ", modelled" : ", measured";
    String over = "Over " + results.get(0).variations().size() + " variations: ";
    return table(results, style, over + "reserved / requested", MEMORY)
        + "\n"
        + table(results, style, over + "driver time as % of the recorded time" + source, SHARES)
        + "\n"
        + table(results, style, over + "driver calls that take memory, counted", MISSES)
        + "\n"
        + table(results, style, over + "driver time of the longest call, us" + source, LONGEST);
  }

  private static String table(
      List<VariedResult> results, Style style, String title, List<Column> columns) {
    List<String> header = new ArrayList<>(List.of("trace"));
    columns.forEach(column -> header.addAll(List.of(column.title(), "worst")));
    TextTable table =
        new TextTable(style).wrap(0, ReplayTable.NAME_WIDTH).row(header.toArray(new String[0]));
    for (VariedResult result : results) {
      row(
          table,
          columns,
          ReplayTable.name(result.getRecording()),
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
      Function<Column, @Nullable Spread> spreads) {
    List<String> cells = new ArrayList<>(List.of(name));
    for (Column column : columns) {
      Spread spread = spreads.apply(column);
      cells.add(column.mean(spread));
      cells.add(column.worst(spread));
    }
    table.row(cells.toArray(new String[0]));
  }

  /** Over programs; of those that have the figure. */
  private static @Nullable Spread mean(List<VariedResult> results, Column column) {
    List<Spread> spreads =
        results.stream().map(column.figure()).filter(spread -> spread != null).toList();
    return spreads.isEmpty()
        ? null
        : new Spread(
            spreads.stream().mapToDouble(Spread::mean).average().orElseThrow(),
            spreads.stream().mapToDouble(Spread::worst).max().orElseThrow());
  }
}
