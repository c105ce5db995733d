package org.vramkit.tools.page;

import java.util.List;

/**
 * A table of a page.
 *
 * @param columns column titles
 * @param rows cells of each row, one per column
 */
public record PageTable(List<String> columns, List<List<String>> rows) {

  /** Copies the lists. */
  public PageTable {
    columns = List.copyOf(columns);
    rows = rows.stream().map(List::copyOf).toList();
  }
}
