package org.vramkit.export;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.vramkit.pool.caching.AllocatorSnapshot.BlockView;
import org.vramkit.pool.caching.AllocatorSnapshot.SegmentView;
import org.vramkit.pool.caching.HistoryEvent;

/**
 * Who allocated what the snapshot has. A snapshot knows no stacks; the history does, as far as it
 * goes back and was asked to keep them. Keeps one stack for each live block at most.
 */
final class LiveStacks {
  private final Map<Long, List<StackTraceElement>> stacks = new HashMap<>();

  /** Goes through the whole history, for a block may be older than the events that are written. */
  LiveStacks(Recording recording) {
    Set<Long> live = live(recording.snapshot().segments());
    for (HistoryEvent each : recording.history()) {
      switch (each.action()) {
        case ALLOCATE -> {
          if (live.contains(each.address())) {
            stacks.put(each.address(), each.stack());
          }
        }
        // If it is live in the end, somebody allocated it again, and nobody noted that.
        case FREE_COMPLETED -> stacks.remove(each.address());
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
        if (PyTorchSnapshot.isActive(block)) {
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
    return stacks.getOrDefault(block.address(), List.of());
  }
}
