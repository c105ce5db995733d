package org.vramkit.pool.caching;

import java.util.ArrayList;
import java.util.List;

/** Walks a heap's blocks in address order, under its lock. */
final class SnapshotTaker {
  private final List<AllocatorSnapshot.SegmentView> segments = new ArrayList<>();
  private List<AllocatorSnapshot.BlockView> run = new ArrayList<>();

  private SnapshotTaker() {}

  static AllocatorSnapshot take(BlockHeap heap) {
    SnapshotTaker taker = new SnapshotTaker();
    boolean growable = heap instanceof PageHeap;
    heap.lock.lock();
    try {
      for (Segment segment : heap.segments()) {
        for (Block block = segment.first; block != null; block = block.next) {
          taker.add(heap, block, growable);
        }
        taker.endRun(segment.small, growable);
      }
    } finally {
      heap.lock.unlock();
    }
    return new AllocatorSnapshot(taker.segments);
  }

  private void add(BlockHeap heap, Block block, boolean growable) {
    if (block.place == Block.Place.TAKEN) {
      add(block, block.address, block.end(), growable);
      return;
    }
    heap.eachMappedRange(block, (from, to) -> add(block, from, to, growable));
  }

  private void add(Block block, long from, long to, boolean growable) {
    if (!run.isEmpty()) {
      AllocatorSnapshot.BlockView last = run.get(run.size() - 1);
      if (last.address() + last.size() != from) {
        endRun(block.segment.small, growable);
      }
    }
    boolean settled = block.place == Block.Place.SETTLED;
    run.add(
        new AllocatorSnapshot.BlockView(
            from,
            to - from,
            block.state() == Block.State.LIVE ? block.requested : 0,
            stateOf(block),
            settled ? "shared" : "0x" + Long.toHexString(block.owner().stream.getHandle()),
            block.state() == Block.State.LIVE ? block.tag : ""));
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

  private void endRun(boolean small, boolean growable) {
    if (run.isEmpty()) {
      return;
    }
    long address = run.get(0).address();
    long size = run.stream().mapToLong(AllocatorSnapshot.BlockView::size).sum();
    segments.add(new AllocatorSnapshot.SegmentView(address, size, small, growable, run));
    run = new ArrayList<>();
  }
}
