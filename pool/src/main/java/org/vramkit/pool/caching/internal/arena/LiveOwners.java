package org.vramkit.pool.caching.internal.arena;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.owner.ProgramCode;
import org.vramkit.pool.caching.internal.heap.Block;
import org.vramkit.pool.caching.internal.heap.Heap;
import org.vramkit.pool.caching.internal.history.HistoryRing;
import org.vramkit.pool.caching.internal.leak.LeakDetector;

/**
 * Sums the live allocations of heaps by owner, from the stacks that the history and the leak
 * detection have.
 */
final class LiveOwners {
  private final Map<Long, Long> requested = new HashMap<>();
  private final Map<Long, List<StackTraceElement>> stacks = new HashMap<>();

  private LiveOwners() {}

  /**
   * Returns the requested bytes of each owner, with {@link ProgramCode#NO_STACK} for allocations
   * without a stack; empty if none has one.
   *
   * @param history null if none is kept
   */
  static Map<String, Long> of(Stream<Heap> heaps, @Nullable HistoryRing history) {
    LiveOwners owners = new LiveOwners();
    heaps.forEach(each -> each.eachBlock(owners::add));
    if (history != null) {
      owners.stacks.putAll(history.stacksOf(owners.requested.keySet()));
    }
    return owners.stacks.isEmpty() ? Map.of() : owners.sum();
  }

  private void add(Block block) {
    if (block.state() == Block.State.LIVE) {
      requested.put(block.address, block.requested);
      List<StackTraceElement> stack = LeakDetector.stackOf(block);
      if (!stack.isEmpty()) {
        stacks.put(block.address, stack);
      }
    }
  }

  private Map<String, Long> sum() {
    Map<String, Long> bytes = new HashMap<>();
    requested.forEach(
        (address, size) ->
            bytes.merge(
                ProgramCode.nameOwner(stacks.getOrDefault(address, List.of())), size, Long::sum));
    return bytes;
  }
}
