package org.vramkit.pool.caching;

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

/**
 * Pages whose memory serves another block of the same stream by now, at another address, while
 * queued work of that stream may still use it here. Physical memory may lie at several addresses at
 * once, and what a stream does at one of them it does before or after what it does at the other.
 *
 * <p>A stream that never drains can thus have its own free pages wherever it needs them, although
 * none may be unmapped. Until the stream has passed the last use here, nobody may take the
 * addresses; then the page is unmapped and they are free. Guarded by the growth lock.
 */
final class StaleMappings {
  /**
   * One page.
   *
   * @param block its addresses, {@link Block.Place#STALE}
   * @param handle the physical page beneath them
   */
  record Stale(Block block, int page, long handle) {
    private boolean isPassed() {
      return block.epoch <= block.owner().frontier.settled();
    }
  }

  private static final Comparator<Stale> FIRST_PASSED =
      Comparator.<Stale>comparingLong(each -> each.block.epoch).thenComparingInt(Stale::page);

  private final PageTable table;

  /** What waits for each stream, and what lies over each physical page: nothing is sought. */
  private final Map<StreamHeap, TreeSet<Stale>> byStream = new LinkedHashMap<>();

  private final Map<Long, List<Stale>> byHandle = new HashMap<>();

  StaleMappings(PageTable table) {
    this.table = table;
  }

  /** The page lies elsewhere too from now on. */
  void add(Stale left) {
    byStream.computeIfAbsent(left.block().owner(), each -> new TreeSet<>(FIRST_PASSED)).add(left);
    byHandle.computeIfAbsent(left.handle(), each -> new ArrayList<>(1)).add(left);
  }

  /** How many more pages may wait before their addresses could be missed. */
  int room() {
    return table.pages / 4 - byStream.values().stream().mapToInt(TreeSet::size).sum();
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
  void unmapUnused(long handle, Consumer<Block> freed) {
    List<Stale> over = byHandle.get(handle);
    if (over != null) {
      unmap(new ArrayList<>(over), freed);
    }
  }

  private void unmap(List<Stale> which, Consumer<Block> freed) {
    which.sort(Comparator.comparingInt(Stale::page));
    int done = 0;
    for (PageRuns.Run run : PageRuns.of(which.stream().mapToInt(Stale::page).toArray())) {
      table.unmap(run.from(), run.to());
      int end = done + run.to() - run.from();
      for (Stale left : which.subList(done, end)) {
        remove(left);
        freed.accept(left.block());
      }
      done = end;
    }
  }

  private void remove(Stale left) {
    byStream.computeIfPresent(left.block().owner(), (each, of) -> without(of, left));
    byHandle.computeIfPresent(left.handle(), (each, of) -> without(of, left));
  }

  private static <C extends Collection<Stale>> @Nullable C without(C all, Stale left) {
    all.remove(left);
    return all.isEmpty() ? null : all;
  }

  /** The streams that may use such pages. */
  List<StreamHeap> owners() {
    return List.copyOf(byStream.keySet());
  }
}
