package org.vramkit.tools.report;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Rows of text under a header, padded: the first column to the left, the others to the right, but
 * for those that hold prose.
 */
public final class TextTable {
  private final List<String[]> rows = new ArrayList<>();
  private final Set<Integer> prose = new HashSet<>(Set.of(0));

  /** Pads a column to the left; the first is number 0. */
  public TextTable left(int column) {
    prose.add(column);
    return this;
  }

  /** Adds a row, with as many cells as the others. */
  public TextTable row(String... cells) {
    rows.add(cells);
    return this;
  }

  @Override
  public String toString() {
    int columns = rows.get(0).length;
    int[] widths = new int[columns];
    for (String[] row : rows) {
      for (int i = 0; i < columns; i++) {
        widths[i] = Math.max(widths[i], row[i].length());
      }
    }
    StringBuilder text = new StringBuilder();
    for (String[] row : rows) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < columns; i++) {
        String pad = " ".repeat(widths[i] - row[i].length());
        line.append(i == 0 ? "" : "  ").append(prose.contains(i) ? row[i] + pad : pad + row[i]);
      }
      text.append(line.toString().stripTrailing()).append('\n');
    }
    return text.toString();
  }
}
