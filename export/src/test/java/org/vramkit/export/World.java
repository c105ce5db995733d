package org.vramkit.export;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.vramkit.api.allocator.TagUsage;
import org.vramkit.pool.caching.AllocatorSnapshot;
import org.vramkit.pool.caching.AllocatorSnapshot.BlockState;
import org.vramkit.pool.caching.AllocatorSnapshot.BlockView;
import org.vramkit.pool.caching.AllocatorSnapshot.SegmentView;
import org.vramkit.pool.caching.HistoryEvent;
import org.vramkit.pool.caching.HistoryEvent.Action;

/** A small allocator played at random, whose events and snapshot fit each other. */
final class World {
  static final long BASE = 1L << 33;
  static final long PAGE = 4096;
  private static final int PAGES = 64;

  /** Where one segment ends and the next begins, though nothing may lie between them. */
  private static final int BORDER = 24;

  final List<HistoryEvent> events = new ArrayList<>();
  private final boolean[] mapped = new boolean[PAGES];
  private final TreeMap<Long, BlockView> blocks = new TreeMap<>();
  private final Map<Long, Long> requested = new HashMap<>();
  private final Random random;
  private long nanos;

  World(Random random, int steps) {
    this.random = random;
    for (int i = 0; i < steps; i++) {
      step();
    }
  }

  private void step() {
    nanos += random.nextInt(5000);
    switch (random.nextInt(8)) {
      case 0 -> page(true);
      case 1 -> page(false);
      case 2, 3, 4 -> allocate();
      case 5, 6 -> free();
      default ->
          event(random.nextBoolean() ? Action.WAIT : Action.OUT_OF_MEMORY, 0, 1L << 40, 0, "");
    }
  }

  private void event(Action action, long address, long size, long stream, String tag) {
    events.add(
        new HistoryEvent(
            action,
            nanos,
            address,
            size,
            stream,
            1 + random.nextInt(4),
            tag,
            List.of(new StackTraceElement("a.B", "m" + size % 3, "B.java", 7))));
  }

  private void page(boolean map) {
    int first = random.nextInt(PAGES);
    int last = Math.min(PAGES, first + 1 + random.nextInt(4));
    for (int page = first; page < last; page++) {
      long address = BASE + page * PAGE;
      boolean used = !blocks.subMap(address, address + PAGE).isEmpty();
      if (mapped[page] != map && !used) {
        mapped[page] = map;
        Action action = random.nextInt(3) == 0 ? Action.MOVE : Action.GROW;
        event(map ? action : Action.UNMAP, address, PAGE, 0, "");
      }
    }
  }

  private void allocate() {
    long address = BASE + random.nextInt(PAGES) * PAGE + random.nextInt(8) * 512L;
    if (mapped[(int) ((address - BASE) / PAGE)] && !blocks.containsKey(address)) {
      long size = 1L + random.nextInt(512);
      requested.put(address, size);
      String tag = random.nextBoolean() ? "" : "a/\"b,\"" + random.nextInt(3);
      long stream = random.nextInt(3) * 0x7f0000000010L;
      blocks.put(
          address,
          new BlockView(
              address,
              512,
              size,
              BlockState.LIVE,
              "0x" + Long.toHexString(stream),
              tag,
              List.of()));
      event(Action.ALLOCATE, address, size, stream, tag);
    }
  }

  private void free() {
    Map.Entry<Long, BlockView> found =
        blocks.ceilingEntry(BASE + random.nextInt(PAGES) * PAGE + random.nextInt(4096));
    if (found == null) {
      return;
    }
    BlockView block = found.getValue();
    long stream = Timeline.streamOf(block);
    long address = block.address();
    String tag = block.tag();
    if (block.state() == BlockState.LIVE) {
      event(Action.FREE_REQUESTED, address, block.requested(), stream, tag);
      if (random.nextInt(3) == 0) {
        blocks.put(
            address,
            new BlockView(address, 512, 0, BlockState.PENDING, block.stream(), tag, List.of()));
        return;
      }
    }
    blocks.remove(address);
    event(Action.FREE_COMPLETED, address, requested.getOrDefault(address, 1L), stream, tag);
  }

  AllocatorSnapshot snapshot() {
    List<SegmentView> segments = new ArrayList<>();
    int first = 0;
    while (first < PAGES) {
      int end = first;
      while (end < PAGES && mapped[end] && (end == first || end != BORDER)) {
        end++;
      }
      if (end > first) {
        segments.add(segment(BASE + first * PAGE, BASE + end * PAGE));
        first = end;
      } else {
        first++;
      }
    }
    return new AllocatorSnapshot(segments, 0, List.of(), tags());
  }

  /** As if nothing had been closed and allocated again. */
  private List<TagUsage> tags() {
    Map<String, TagUsage> usages = new TreeMap<>();
    for (BlockView each : blocks.values()) {
      long size = each.size();
      if (!each.tag().isEmpty() && each.state() == BlockState.LIVE) {
        usages.merge(
            each.tag(),
            new TagUsage(each.tag(), size, size, 1, size),
            (a, b) ->
                new TagUsage(
                    a.tag(),
                    a.liveBytes() + size,
                    a.peakBytes() + size,
                    a.allocations() + 1,
                    a.allocatedBytes() + size));
      }
    }
    return List.copyOf(usages.values());
  }

  private SegmentView segment(long from, long end) {
    List<BlockView> all = new ArrayList<>();
    long at = from;
    for (BlockView each : blocks.subMap(from, end).values()) {
      free(all, at, each.address());
      all.add(each);
      at = each.address() + each.size();
    }
    free(all, at, end);
    return new SegmentView(from, end - from, false, true, all, 0);
  }

  private static void free(List<BlockView> all, long from, long end) {
    if (from < end) {
      all.add(new BlockView(from, end - from, 0, BlockState.FREE, "shared", "", List.of()));
    }
  }
}
