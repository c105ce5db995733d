package org.vramkit.pool.caching.internal.arena;

import org.vramkit.api.device.MemoryObserver;
import org.vramkit.pool.caching.AllocatorSnapshot;
import org.vramkit.pool.caching.AllocatorSnapshot.BlockState;
import org.vramkit.pool.support.OpenAllocations;
import org.vramkit.pool.support.OpenAllocations.Open;

/** Says which blocks users hold. */
public final class OpenBlocks {
  private OpenBlocks() {}

  /** A line for each of the first few, by address. */
  public static String list(AllocatorSnapshot snapshot, MemoryObserver observer) {
    return OpenAllocations.list(
        snapshot.segments().stream()
            .flatMap(segment -> segment.blocks().stream())
            .filter(block -> block.state() == BlockState.LIVE)
            .map(block -> new Open(block.address(), block.requested(), block.stream(), block.tag()))
            .toList(),
        observer);
  }
}
