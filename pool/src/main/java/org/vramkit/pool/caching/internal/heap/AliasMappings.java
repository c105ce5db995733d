package org.vramkit.pool.caching.internal.heap;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.vramkit.pool.caching.internal.page.Extent;
import org.vramkit.pool.caching.internal.page.PageSpans;
import org.vramkit.pool.caching.internal.page.PageTable;

/**
 * Extents that serve another block of the same stream by now, at another address, while queued work
 * of that stream may still use it here. Physical memory may lie at several addresses at once, and
 * what a stream does at one of them it does before or after what it does at the other.
 *
 * <p>A stream that never drains can thus have its own free pages wherever it needs them, although
 * none may be unmapped. Until the stream has passed the last use here, nobody may take the
 * addresses; then the extent is unmapped here and they are free. Guarded by the growth lock.
 */
final class AliasMappings {
  /**
   * One extent.
   *
   * @param block its addresses here, {@link Block.Place#STALE}
   * @param from the first page of them
   */
  record Stale(Block block, int from, Extent extent) implements PageSpans.Pages {
    @Override
    public int to() {
      return from + extent.pages();
    }

    private boolean isPassed() {
      return block.epoch <= block.owner().progress.settled();
    }
  }

  private static final Comparator<Stale> FIRST_PASSED =
      Comparator.<Stale>comparingLong(each -> each.block.epoch).thenComparingInt(Stale::from);

  private final PageTable table;

  /** What waits for each stream, and what lies over each extent: nothing is sought. */
  private final Map<StreamState, TreeSet<Stale>> byStream = new LinkedHashMap<>();

  private final Map<Extent, List<Stale>> byExtent = new HashMap<>();

  private int pages;

  AliasMappings(PageTable table) {
    this.table = table;
  }

  /** The extent lies elsewhere too from now on. */
  void add(Stale left) {
    byStream.computeIfAbsent(left.block().owner(), each -> new TreeSet<>(FIRST_PASSED)).add(left);
    byExtent.computeIfAbsent(left.extent(), each -> new ArrayList<>(1)).add(left);
    pages += left.pages();
  }

  /** How many more pages may wait before their addresses could be missed. */
  int room() {
    return table.ranges.pages() / 4 - pages;
  }

  /**
   * Unmaps what its stream is known to have passed.
   *
   * @param freed takes the addresses, beneath which nothing lies any more
   */
  void unmapPassed(Consumer<Block> freed) {
    if (byStream.isEmpty()) {
      return;
    }
    List<Stale> passed = new ArrayList<>();
    for (TreeSet<Stale> ofStream : byStream.values()) {
      for (Stale left : ofStream) {
        if (!left.isPassed()) {
          break;
        }
        passed.add(left);
      }
    }
    unmap(passed, freed);
  }

  /** Unmaps other addresses of memory that is known to be used at none. */
  void unmapUnused(Extent extent, Consumer<Block> freed) {
    List<Stale> over = byExtent.get(extent);
    if (over != null) {
      unmap(new ArrayList<>(over), freed);
    }
  }

  private void unmap(List<Stale> which, Consumer<Block> freed) {
    which.sort(Comparator.comparingInt(Stale::from));
    for (List<Stale> neighbours : PageSpans.neighbours(which)) {
      table.unmap(PageSpans.Span.over(neighbours));
      for (Stale left : neighbours) {
        remove(left);
        freed.accept(left.block());
      }
    }
  }

  private void remove(Stale left) {
    byStream.computeIfPresent(left.block().owner(), (each, of) -> without(of, left));
    byExtent.computeIfPresent(left.extent(), (each, of) -> without(of, left));
    pages -= left.pages();
  }

  private static <C extends Collection<Stale>> @Nullable C without(C all, Stale left) {
    all.remove(left);
    return all.isEmpty() ? null : all;
  }

  /** The streams that may use such pages. */
  List<StreamState> owners() {
    return List.copyOf(byStream.keySet());
  }
}
