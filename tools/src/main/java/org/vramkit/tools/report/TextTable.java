package org.vramkit.tools.report;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A table of text with a header row. The first column is left-aligned, the others are right-aligned
 * unless {@link #left} is set. Cells wider than a column's {@link #wrap} wrap.
 */
public final class TextTable {
  private final Style style;
  private final List<String[]> rows = new ArrayList<>();
  private final Set<Integer> left = new HashSet<>(Set.of(0));
  private final Set<Integer> alarms = new HashSet<>();
  private final Map<Integer, Integer> wraps = new HashMap<>();

  /** Creates a table without colours. */
  public TextTable() {
    this(Style.PLAIN);
  }

  /** Creates a table whose header and alarms are formatted. */
  public TextTable(Style style) {
    this.style = style;
  }

  /** Aligns a column to the left; the first is number 0. */
  public TextTable left(int column) {
    left.add(column);
    return this;
  }

  /** Limits a column to a width; longer cells continue on the next line. */
  public TextTable wrap(int column, int width) {
    wraps.put(column, width);
    return this;
  }

  /** Formats nonzero counts of a column as alarms. */
  public TextTable alarm(int column) {
    alarms.add(column);
    return this;
  }

  /** Adds a row, with as many cells as the others; the first row is the header. */
  public TextTable row(String... cells) {
    rows.add(cells);
    return this;
  }

  @Override
  public String toString() {
    List<List<List<String>>> wrapped = rows.stream().map(this::wrapped).toList();
    int[] widths = new int[rows.get(0).length];
    for (List<List<String>> row : wrapped) {
      for (int i = 0; i < widths.length; i++) {
        for (String line : row.get(i)) {
          widths[i] = Math.max(widths[i], line.length());
        }
      }
    }
    StringBuilder text = new StringBuilder();
    for (int number = 0; number < wrapped.size(); number++) {
      List<List<String>> row = wrapped.get(number);
      int height = row.stream().mapToInt(List::size).max().orElse(0);
      for (int part = 0; part < height; part++) {
        String line = line(row, part, widths, number > 0);
        text.append(number == 0 ? style.heading(line) : line).append('\n');
      }
    }
    return text.toString();
  }

  private List<List<String>> wrapped(String[] cells) {
    List<List<String>> row = new ArrayList<>();
    for (int i = 0; i < cells.length; i++) {
      row.add(Lines.split(cells[i], wraps.getOrDefault(i, Integer.MAX_VALUE)));
    }
    return row;
  }

  private String line(List<List<String>> row, int part, int[] widths, boolean canAlarm) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < widths.length; i++) {
      List<String> cell = row.get(i);
      String text = part < cell.size() ? cell.get(part) : "";
      String pad = " ".repeat(widths[i] - text.length());
      boolean alarm = canAlarm && alarms.contains(i) && text.matches("[1-9].*");
      String shown = alarm ? style.alarm(text) : text;
      line.append(i == 0 ? "" : "  ").append(left.contains(i) ? shown + pad : pad + shown);
    }
    return line.toString().stripTrailing();
  }
}
