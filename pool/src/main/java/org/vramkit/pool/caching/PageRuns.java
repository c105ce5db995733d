package org.vramkit.pool.caching;

import java.util.ArrayList;
import java.util.List;

/** Page numbers gathered into runs of neighbours, because the driver is called once per run. */
final class PageRuns {
  /** Pages {@code [from, to)}. */
  record Run(int from, int to) {}

  private PageRuns() {}

  /** The runs of sorted, distinct page numbers, rising or falling. */
  static List<Run> of(int[] pages) {
    List<Run> runs = new ArrayList<>();
    int i = 0;
    while (i < pages.length) {
      int low = pages[i];
      int high = pages[i];
      while (i + 1 < pages.length && (pages[i + 1] == high + 1 || pages[i + 1] == low - 1)) {
        i++;
        low = Math.min(low, pages[i]);
        high = Math.max(high, pages[i]);
      }
      runs.add(new Run(low, high + 1));
      i++;
    }
    return runs;
  }
}
