package org.vramkit.tools.page;

import java.util.List;

/**
 * A table of a page.
 *
 * @param columns the title of each column
 * @param rows as many cells each
 */
public record PageTable(List<String> columns, List<List<String>> rows) {

  /** Copies the lists. */
  public PageTable {
    columns = List.copyOf(columns);
    rows = rows.stream().map(List::copyOf).toList();
  }
}
