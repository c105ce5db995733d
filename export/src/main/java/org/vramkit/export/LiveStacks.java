package org.vramkit.export;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.vramkit.pool.caching.AllocatorSnapshot.BlockState;
import org.vramkit.pool.caching.AllocatorSnapshot.BlockView;
import org.vramkit.pool.caching.HistoryEvent;

/**
 * Finds the allocation stack of each block of a snapshot, if the history contains it or leak
 * detection tracks the block with its stack. Keeps at most one event per live block.
 *
 * <p>Between reading the history and taking the snapshot, a block may have been freed and its
 * memory allocated again. Such a block gets no stack, unless stream, tag and size are equal: then
 * it gets the stack of the earlier block.
 */
final class LiveStacks {
  private final Map<Long, HistoryEvent> allocations = new HashMap<>();

  /** Reads the whole history, because a block may be older than the exported events. */
  LiveStacks(Recording recording) {
    Set<Long> live =
        recording
            .snapshot()
            .blocks()
            .filter(Timeline::isActive)
            .map(BlockView::address)
            .collect(Collectors.toSet());
    for (HistoryEvent each : recording.history()) {
      switch (each.action()) {
        case ALLOCATE -> {
          if (live.contains(each.address())) {
            allocations.put(each.address(), each);
          }
        }
        // If the address is live in the snapshot, it was allocated again without an event.
        case FREE_COMPLETED -> allocations.remove(each.address());
        default -> {
          // Not about an allocation.
        }
      }
    }
  }

  /** Returns the stack of a block's allocation, innermost frame first; empty if unknown. */
  List<StackTraceElement> of(BlockView block) {
    HistoryEvent allocation = allocations.get(block.address());
    if (allocation == null || !fits(allocation, block) || allocation.stack().isEmpty()) {
      return block.stack();
    }
    return allocation.stack();
  }

  private static boolean fits(HistoryEvent allocation, BlockView block) {
    // The tag and the requested size of a pending block are no longer known.
    boolean fits =
        block.state() == BlockState.LIVE
            ? allocation.size() == block.requested() && allocation.tag().equals(block.tag())
            : allocation.size() <= block.size();
    return fits && allocation.stream() == Timeline.streamOf(block);
  }
}
