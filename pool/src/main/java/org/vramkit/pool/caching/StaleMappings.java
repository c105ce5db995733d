package org.vramkit.pool.caching;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Predicate;

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
   */
  record Stale(Block block, int page) {
    private boolean isPassed() {
      return block.epoch <= block.owner().frontier.settled();
    }
  }

  private final PageTable table;
  private final TreeMap<Integer, Stale> waiting = new TreeMap<>();

  StaleMappings(PageTable table) {
    this.table = table;
  }

  /** The page lies elsewhere too from now on. */
  void add(Stale left) {
    waiting.put(left.page(), left);
  }

  /** How many more pages may wait before their addresses could be missed. */
  int room() {
    return table.pages / 4 - waiting.size();
  }

  /**
   * Unmaps what its stream is known to have passed.
   *
   * @param freed takes the addresses, beneath which nothing lies any more
   */
  void unmapPassed(Consumer<Block> freed) {
    unmap(Stale::isPassed, freed);
  }

  /** Unmaps other addresses of memory that is known to be used at none. */
  void unmapUnused(long handle, Consumer<Block> freed) {
    unmap(left -> table.handle(left.page()) == handle, freed);
  }

  private void unmap(Predicate<Stale> which, Consumer<Block> freed) {
    int[] pages = waiting.values().stream().filter(which).mapToInt(Stale::page).sorted().toArray();
    for (PageRuns.Run run : PageRuns.of(pages)) {
      table.unmap(run.from(), run.to());
      var gone = waiting.subMap(run.from(), run.to());
      gone.values().forEach(left -> freed.accept(left.block()));
      gone.clear();
    }
  }

  /** Waits on the host for every stream that may use such a page. */
  void await() {
    Set<StreamHeap> heaps = new LinkedHashSet<>();
    waiting.values().forEach(left -> heaps.add(left.block().owner()));
    heaps.forEach(heap -> heap.frontier.await());
  }
}
