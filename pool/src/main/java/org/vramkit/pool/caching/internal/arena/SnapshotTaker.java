package org.vramkit.pool.caching.internal.arena;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.vramkit.api.allocator.TagUsage;
import org.vramkit.api.device.MemoryObserver;
import org.vramkit.pool.caching.AllocatorSnapshot;
import org.vramkit.pool.caching.AllocatorSnapshot.BlockState;
import org.vramkit.pool.caching.internal.heap.Block;
import org.vramkit.pool.caching.internal.heap.Heap;
import org.vramkit.pool.caching.internal.heap.Region;
import org.vramkit.pool.support.OpenAllocations;
import org.vramkit.pool.support.OpenAllocations.Open;

/** Walks the blocks of pools in address order, each pool under its heap's lock. */
public final class SnapshotTaker {
  private final List<AllocatorSnapshot.SegmentView> segments = new ArrayList<>();
  private List<AllocatorSnapshot.BlockView> run = new ArrayList<>();

  private final Heap heap;
  private final long pool;
  private long unplaced;

  private SnapshotTaker(Arena pool) {
    this.heap = pool.heap;
    this.pool = pool.id;
  }

  /**
   * Takes a snapshot.
   *
   * @param tags what these pools' statistics say of tags
   */
  public static AllocatorSnapshot take(List<Arena> pools, List<TagUsage> tags) {
    List<AllocatorSnapshot.SegmentView> all = new ArrayList<>();
    long unplaced = 0;
    for (Arena each : pools) {
      SnapshotTaker taker = new SnapshotTaker(each);
      taker.walk();
      all.addAll(taker.segments);
      unplaced += taker.unplaced;
    }
    all.sort(Comparator.comparingLong(AllocatorSnapshot.SegmentView::address));
    return new AllocatorSnapshot(all, unplaced, tags);
  }

  private void walk() {
    heap.lock.lock();
    try {
      for (Region region : heap.regions()) {
        for (Block block = region.first; block != null; block = block.next) {
          add(block);
        }
        endRun(region.small);
      }
      unplaced = heap.unplacedBytes();
    } finally {
      heap.lock.unlock();
    }
  }

  private void add(Block block) {
    if (!block.isMemory()) {
      return;
    }
    long from = block.address;
    long to = block.end();
    if (!run.isEmpty()) {
      AllocatorSnapshot.BlockView last = run.get(run.size() - 1);
      if (last.address() + last.size() != from) {
        endRun(block.region.small);
      }
    }
    boolean settled = block.place == Block.Place.SETTLED || !block.hasOwner();
    run.add(
        new AllocatorSnapshot.BlockView(
            from,
            to - from,
            block.state() == Block.State.LIVE ? block.requested : 0,
            stateOf(block),
            settled ? "shared" : "0x" + Long.toHexString(block.owner().stream.getHandle()),
            block.state() == Block.State.LIVE ? block.tag() : ""));
  }

  private static AllocatorSnapshot.BlockState stateOf(Block block) {
    if (block.place != Block.Place.TAKEN) {
      return AllocatorSnapshot.BlockState.FREE;
    }
    return switch (block.state()) {
      case LIVE -> AllocatorSnapshot.BlockState.LIVE;
      case PENDING -> AllocatorSnapshot.BlockState.PENDING;
      // A block that is on its way between two owners counts as cached.
      case CACHED, FREE -> AllocatorSnapshot.BlockState.CACHED;
    };
  }

  private void endRun(boolean small) {
    if (run.isEmpty()) {
      return;
    }
    long address = run.get(0).address();
    long size = run.stream().mapToLong(AllocatorSnapshot.BlockView::size).sum();
    boolean growable = heap.isVirtual();
    segments.add(new AllocatorSnapshot.SegmentView(address, size, small, growable, run, pool));
    run = new ArrayList<>();
  }

  /** Lists the first few live blocks by address, a line for each. */
  public static String listLive(AllocatorSnapshot snapshot, MemoryObserver observer) {
    return OpenAllocations.list(
        snapshot.segments().stream()
            .flatMap(segment -> segment.blocks().stream())
            .filter(block -> block.state() == BlockState.LIVE)
            .map(block -> new Open(block.address(), block.requested(), block.stream(), block.tag()))
            .toList(),
        observer);
  }
}
