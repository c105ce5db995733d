package org.vramkit.export;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.vramkit.pool.caching.AllocatorSnapshot.BlockState;
import org.vramkit.pool.caching.AllocatorSnapshot.BlockView;
import org.vramkit.pool.caching.AllocatorSnapshot.SegmentView;
import org.vramkit.pool.caching.HistoryEvent;

/**
 * Stacks of the blocks in a snapshot. A snapshot knows no stacks; the history does, as far as it
 * goes back and was asked to keep them. Keeps one event for each live block at most.
 *
 * <p>A block may have been freed and its memory allocated again after the history was read and
 * before the snapshot was taken. Such a block has no stack, unless the new one is of the same
 * stream, tag and size: then it has that of the old one.
 */
final class LiveStacks {
  private final Map<Long, HistoryEvent> allocations = new HashMap<>();

  /** Goes through the whole history, for a block may be older than the events that are written. */
  LiveStacks(Recording recording) {
    Set<Long> live = live(recording.snapshot().segments());
    for (HistoryEvent each : recording.history()) {
      switch (each.action()) {
        case ALLOCATE -> {
          if (live.contains(each.address())) {
            allocations.put(each.address(), each);
          }
        }
        // If it is live in the end, it was allocated again without an event.
        case FREE_COMPLETED -> allocations.remove(each.address());
        default -> {
          // Says nothing of who allocated.
        }
      }
    }
  }

  private static Set<Long> live(List<SegmentView> segments) {
    Set<Long> addresses = new HashSet<>();
    for (SegmentView segment : segments) {
      for (BlockView block : segment.blocks()) {
        if (Timeline.isActive(block)) {
          addresses.add(block.address());
        }
      }
    }
    return addresses;
  }

  /**
   * The stack of a block's allocation, the nearest frame first; empty if nothing is known of it.
   */
  List<StackTraceElement> of(BlockView block) {
    HistoryEvent allocation = allocations.get(block.address());
    return allocation == null || !fits(allocation, block) ? List.of() : allocation.stack();
  }

  private static boolean fits(HistoryEvent allocation, BlockView block) {
    // Of a block that waits for streams neither its tag nor its user's size is known any more.
    boolean fits =
        block.state() == BlockState.LIVE
            ? allocation.size() == block.requested() && allocation.tag().equals(block.tag())
            : allocation.size() <= block.size();
    return fits && allocation.stream() == Timeline.streamOf(block);
  }
}
