package org.vramkit.tools.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.vramkit.tools.replay.Spread;
import org.vramkit.tools.replay.VariedResult;

/** Figures over the variations of programs, mean and worst of each, as text. */
public final class VariationTable {
  /** A pair of columns. */
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

  private static final List<Column> COLUMNS =
      List.of(
          new Column("ratio", VariedResult::getReservedRatio, 1, "%.3f"),
          new Column("first pass %", VariedResult::getFirstDriverShare, 0.01, "%.2f"),
          new Column("later %", VariedResult::getLaterDriverShare, 0.01, "%.2f"),
          new Column("misses first", VariedResult::getFirstMisses, 1, "%.0f"),
          new Column("later", VariedResult::getLaterMisses, 1, "%.0f"),
          new Column("longest us first", VariedResult::getFirstLongestDriverNanos, 1e3, "%.0f"),
          new Column("later", VariedResult::getLaterLongestDriverNanos, 1e3, "%.0f"));

  private VariationTable() {}

  /** A row for each program and, of several, one with the means of all and the worst of each. */
  public static String of(List<VariedResult> results) {
    int variations = results.get(0).variations().size();
    List<String> header = new ArrayList<>(List.of(variations + " variations"));
    COLUMNS.forEach(column -> header.addAll(List.of(column.title(), "worst")));
    TextTable table = new TextTable().row(header.toArray(new String[0]));
    for (VariedResult result : results) {
      row(table, ReplayTable.name(result.getRecording()), column -> column.figure().apply(result));
    }
    if (results.size() > 1) {
      row(table, "mean", column -> mean(results, column));
    }
    return table
        + "first pass %, later %: driver time by the recorded time; misses: driver calls of a pass"
        + " that take memory;\nlongest us: driver time of one allocate or close\n";
  }

  private static void row(
      TextTable table, String name, Function<Column, @Nullable Spread> spreads) {
    List<String> cells = new ArrayList<>(List.of(name));
    for (Column column : COLUMNS) {
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
