package org.vramkit.pool.caching.internal.arena;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.stream.Collectors;
import org.vramkit.api.allocator.TagUsage;
import org.vramkit.api.device.Device;
import org.vramkit.pool.caching.AllocatorSnapshot;
import org.vramkit.pool.caching.AllocatorSnapshot.BlockState;
import org.vramkit.pool.caching.internal.heap.Block;
import org.vramkit.pool.caching.internal.heap.Heap;
import org.vramkit.pool.caching.internal.heap.Region;
import org.vramkit.pool.caching.internal.leak.LeakDetector;
import org.vramkit.pool.support.OpenAllocations;
import org.vramkit.pool.support.OpenAllocations.Open;
import org.vramkit.pool.support.Streams;

/** Walks the blocks of pools in the order of addresses, while all pools stand still. */
public final class SnapshotTaker {
  private final List<AllocatorSnapshot.SegmentView> segments = new ArrayList<>();
  private final List<AllocatorSnapshot.BlockView> suspended = new ArrayList<>();
  private List<AllocatorSnapshot.BlockView> run = new ArrayList<>();

  private final Heap heap;
  private final long pool;
  private long unplaced;

  /** True if a history records each live block. */
  private final boolean noted;

  private SnapshotTaker(Arena pool) {
    this.heap = pool.heap;
    this.pool = pool.id;
    this.noted = pool.isNoted();
  }

  /**
   * Takes a snapshot of pools that {@link Standstill stand still}.
   *
   * @param tags the usage by tag, read a moment before; live bytes are counted anew
   */
  public static AllocatorSnapshot take(List<Arena> pools, List<TagUsage> tags) {
    List<AllocatorSnapshot.SegmentView> all = new ArrayList<>();
    List<AllocatorSnapshot.BlockView> suspended = new ArrayList<>();
    long unplaced = 0;
    for (Arena each : pools) {
      SnapshotTaker taker = new SnapshotTaker(each);
      taker.walk();
      all.addAll(taker.segments);
      suspended.addAll(taker.suspended);
      unplaced += taker.unplaced;
    }
    all.sort(Comparator.comparingLong(AllocatorSnapshot.SegmentView::address));
    AllocatorSnapshot blocks = new AllocatorSnapshot(all, unplaced, suspended, List.of());
    return new AllocatorSnapshot(
        blocks.segments(), unplaced, blocks.suspended(), withLiveBytes(tags, blocks));
  }

  private static List<TagUsage> withLiveBytes(List<TagUsage> before, AllocatorSnapshot snapshot) {
    Map<String, LongSummaryStatistics> live =
        snapshot
            .blocks()
            .filter(block -> !block.tag().isEmpty())
            .collect(
                Collectors.groupingBy(
                    AllocatorSnapshot.BlockView::tag,
                    Collectors.summarizingLong(AllocatorSnapshot.BlockView::size)));
    List<TagUsage> now = new ArrayList<>();
    for (TagUsage each : before) {
      LongSummaryStatistics blocks = live.remove(each.tag());
      now.add(withLiveBytes(each, blocks == null ? 0 : blocks.getSum()));
    }
    // Tags that were first used since.
    live.forEach(
        (tag, blocks) ->
            now.add(
                new TagUsage(
                    tag, blocks.getSum(), blocks.getSum(), blocks.getCount(), blocks.getSum())));
    now.sort(Comparator.comparingLong(TagUsage::liveBytes).reversed().thenComparing(TagUsage::tag));
    return now;
  }

  private static TagUsage withLiveBytes(TagUsage usage, long bytes) {
    long peak = Math.max(bytes, usage.peakBytes());
    return new TagUsage(usage.tag(), bytes, peak, usage.allocations(), usage.allocatedBytes());
  }

  private void walk() {
    for (Region region : heap.regions()) {
      for (Block block = region.first; block != null; block = block.next) {
        add(block);
      }
      endRun(region.small);
    }
    unplaced = heap.unplacedBytes();
  }

  private void add(Block block) {
    if (!block.isMemory()) {
      return;
    }
    long from = block.address;
    if (block.isSuspended()) {
      suspended.add(viewOf(block));
      return;
    }
    if (!run.isEmpty()) {
      AllocatorSnapshot.BlockView last = run.get(run.size() - 1);
      if (last.address() + last.size() != from) {
        endRun(block.region.small);
      }
    }
    run.add(viewOf(block));
  }

  private AllocatorSnapshot.BlockView viewOf(Block block) {
    BlockState state = stateOf(block);
    boolean live = state == BlockState.LIVE;
    boolean settled = block.place == Block.Place.SETTLED || !block.hasOwner();
    return new AllocatorSnapshot.BlockView(
        block.address,
        block.size,
        live ? block.requested : 0,
        state,
        settled ? "shared" : Streams.nameOf(block.owner().stream),
        live ? block.tag() : "",
        live ? LeakDetector.stackOf(block) : List.of());
  }

  private BlockState stateOf(Block block) {
    BlockState state = BlockState.valueOf(block.state().name());
    // A block on its way between two owners counts as cached; this one is not recorded yet.
    return state == BlockState.LIVE && noted && block.account == null ? BlockState.CACHED : state;
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

  /** Lists the first few live blocks by address, one line each. */
  public static String listLive(AllocatorSnapshot snapshot, Device device) {
    return OpenAllocations.list(
        snapshot
            .blocks()
            .filter(block -> block.state() == BlockState.LIVE)
            .map(block -> new Open(block.address(), block.requested(), block.stream(), block.tag()))
            .toList(),
        device);
  }
}
