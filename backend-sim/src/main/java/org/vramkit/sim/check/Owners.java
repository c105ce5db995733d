package org.vramkit.sim.check;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.memory.RangeMap;

/** The owners of memory: allocations of the driver, and the blocks into which pools divide them. */
final class Owners {
  final BlockMap driver = new BlockMap(null);

  /** Page-locked and managed buffers. */
  final BlockMap host = new BlockMap(null);

  /** Blocks of pools over the driver's memory; pools over such blocks are nested in it. */
  final BlockMap pools = new BlockMap(null, new LivePeaks());

  private long latest;

  long nextId() {
    return ++latest;
  }

  /** Returns the blocks of the innermost pool at an address. */
  BlockMap poolAt(long address) {
    return pools.innermost(address, address + 1);
  }

  /**
   * Returns the blocks of the pool that owns a block with this start and stream: the innermost one,
   * unless its block there belongs to another stream.
   */
  BlockMap poolOf(long start, StreamClock stream) {
    BlockMap innermost = poolAt(start);
    for (BlockMap pool = innermost; pool != null; pool = pool.outer) {
      OwnedBlock block = pool.liveAt(start);
      if (block != null && block.allocated.stream == stream) {
        return pool;
      }
    }
    return innermost;
  }

  /** Returns the innermost owner of an address, a block or an allocation; null if there is none. */
  @Nullable OwnedBlock liveContaining(long address) {
    for (BlockMap pool = poolAt(address); pool != null; pool = pool.outer) {
      OwnedBlock block = pool.liveContaining(address);
      if (block != null) {
        return block;
      }
    }
    return driver.liveContaining(address);
  }

  /** Forgets the freed owners of a range. */
  void forgetFreed(long start, long end) {
    driver.freed.forget(start, end);
    pools.freed.forget(start, end);
  }

  /** Returns the last owner of an address, live or freed; null if it is unknown. */
  @Nullable OwnedBlock latestAt(long address) {
    OwnedBlock latest = null;
    for (BlockMap pool = poolAt(address); pool != null && latest == null; pool = pool.outer) {
      latest = pool.latestAt(address);
    }
    return latest == null ? driver.latestAt(address) : latest;
  }

  /** Returns the freed block of a pool at an address that has no owner now; null for none. */
  @Nullable OwnedBlock closedAt(long address) {
    BlockMap pool = poolAt(address);
    return pool.liveContaining(address) == null ? pool.freed.containing(address) : null;
  }

  /**
   * Live blocks by address, and recently freed ones to name in reports. A pool may use a block of
   * another pool as a segment, whose blocks are kept one level deeper.
   */
  static final class BlockMap {
    /** The key by which a driver reuses memory. */
    private record Size(int device, long bytes) {
      static Size of(OwnedBlock block) {
        return new Size(block.device, block.end - block.start);
      }
    }

    /** A range of a live block that a pool divides. */
    private record Segment(long end, BlockMap blocks) {}

    final @Nullable BlockMap outer;

    /** The peaks of the outermost pools; null for other maps. */
    private final @Nullable LivePeaks peaks;

    private final TreeMap<Long, Segment> segments = new TreeMap<>();

    /** Addresses of suspended pools without memory; their blocks stay live. */
    private final RangeMap<Boolean> suspended = new RangeMap<>();

    private final TreeMap<Long, OwnedBlock> live = new TreeMap<>();
    private final Map<Size, OwnedBlock> lastFreed = new HashMap<>();
    final FreedBlocks freed = new FreedBlocks(block -> lastFreed.remove(Size.of(block), block));

    /** Creates an empty map, nested in an outer one if that is not null. */
    BlockMap(@Nullable BlockMap outer) {
      this.outer = outer;
      this.peaks = null;
    }

    private BlockMap(@Nullable BlockMap outer, LivePeaks peaks) {
      this.outer = outer;
      this.peaks = peaks;
    }

    /** Returns the most live bytes of a device. */
    long getMostBytes(int device) {
      return peaks == null ? 0 : peaks.getMost(device);
    }

    /** Returns the blocks that were live when a device had most live bytes. */
    List<LivePeaks.Held> getBlocksAtMost(int device) {
      return peaks == null ? List.of() : peaks.getBlocks(device, live.values());
    }

    private void ending(OwnedBlock block) {
      if (peaks != null) {
        peaks.ending(block, live.values());
      }
    }

    /** Returns the innermost level whose segment contains a range. */
    BlockMap innermost(long start, long end) {
      Map.Entry<Long, Segment> entry = segments.floorEntry(start);
      return entry != null && entry.getValue().end >= end
          ? entry.getValue().blocks.innermost(start, end)
          : this;
    }

    /** Adds the segment of a block that a pool divides; does nothing if no block contains it. */
    void addSegment(long start, long end) {
      OwnedBlock block = liveContaining(start);
      if (block != null && end <= block.end) {
        segments.put(start, new Segment(end, new BlockMap(this)));
      }
    }

    /** Removes the innermost segment that begins at an address; does nothing if there is none. */
    void removeSegment(long start) {
      BlockMap level = innermost(start, start + 1);
      while (level.outer != null && !level.outer.segments.containsKey(start)) {
        level = level.outer;
      }
      if (level.outer != null) {
        level.outer.segments.remove(start);
      }
    }

    @Nullable OwnedBlock latestAt(long address) {
      OwnedBlock block = liveContaining(address);
      return block == null ? freed.containing(address) : block;
    }

    @Nullable OwnedBlock liveAt(long start) {
      return live.get(start);
    }

    @Nullable OwnedBlock liveContaining(long address) {
      Map.Entry<Long, OwnedBlock> entry = live.floorEntry(address);
      return entry != null && address < entry.getValue().end ? entry.getValue() : null;
    }

    @Nullable OwnedBlock liveIn(long start, long end) {
      Map.Entry<Long, OwnedBlock> entry = live.ceilingEntry(start);
      return entry != null && entry.getKey() < end ? entry.getValue() : null;
    }

    @Nullable OwnedBlock overlapping(long start, long end) {
      Map.Entry<Long, OwnedBlock> entry = live.lowerEntry(end);
      return entry != null && entry.getValue().end > start ? entry.getValue() : null;
    }

    /** Adds the live blocks that overlap a range: of a block that a pool divides, those inside. */
    void addInnermost(long start, long end, List<OwnedBlock> found) {
      OwnedBlock first = liveContaining(start);
      for (OwnedBlock block : live.subMap(first == null ? start : first.start, end).values()) {
        Collection<Segment> divided = segments.subMap(block.start, block.end).values();
        if (divided.isEmpty()) {
          found.add(block);
        }
        divided.forEach(segment -> segment.blocks.addInnermost(start, end, found));
      }
    }

    void add(OwnedBlock block) {
      OwnedBlock replaced = live.get(block.start);
      if (replaced != null) {
        ending(replaced);
      }
      live.put(block.start, block);
      if (peaks != null) {
        peaks.added(block);
      }
      freed.forget(block.start, block.end);
    }

    void free(OwnedBlock block, Operation free) {
      block.end(free);
      ending(block);
      live.remove(block.start);
      removeSegments(block.start, block.end);
      lastFreed.put(Size.of(block), block);
      freed.add(block);
    }

    /**
     * Returns the block that a driver would reuse for this size: the latest freed one of the
     * device, if it has no successor.
     */
    @Nullable OwnedBlock lastFreed(int device, long bytes) {
      OwnedBlock block = lastFreed.get(new Size(device, bytes));
      return block != null && !block.hasSuccessor() ? block : null;
    }

    /** Returns all live blocks, those of inner levels first. */
    Stream<OwnedBlock> allLive() {
      return Stream.concat(
          segments.values().stream().flatMap(segment -> segment.blocks.allLive()),
          live.values().stream());
    }

    /** Notes that a pool unmaps a range whose blocks stay live. */
    void suspend(long start, long end) {
      suspended.put(start, end, true);
    }

    boolean isSuspended(long address) {
      return suspended.containing(address) != null;
    }

    /** Notes that a range has memory again. */
    void resume(long start, long end) {
      suspended.remove(start, end);
    }

    /**
     * Drops the live blocks of a range that was freed or unmapped, unless it is suspended. Freed
     * blocks remain known until the addresses have a new owner or mapping.
     */
    void drop(long start, long end) {
      if (isSuspended(start)) {
        return;
      }
      if (liveIn(start, end) != null) {
        Collection<OwnedBlock> dropped = live.subMap(start, end).values();
        dropped.forEach(this::ending);
        dropped.clear();
      }
      removeSegments(start, end);
    }

    private void removeSegments(long start, long end) {
      if (!segments.isEmpty()) {
        segments.subMap(start, end).clear();
      }
    }

    /**
     * The last owners of bytes that have no owner now. Kept by parts: if some bytes of a block are
     * reused, the others still belong to it.
     */
    static final class FreedBlocks {
      private static final int LIMIT = 1 << 14;

      /** Tolerated number of blocks without parts, before these are searched and removed. */
      private static final int SLACK = 64;

      private final RangeMap<OwnedBlock> parts = new RangeMap<>();

      /** Blocks that may have parts left, the oldest first. */
      private final Deque<OwnedBlock> blocks = new ArrayDeque<>();

      private final Consumer<OwnedBlock> forgotten;

      /** Creates an empty map that passes each block it drops to {@code forgotten}. */
      FreedBlocks(Consumer<OwnedBlock> forgotten) {
        this.forgotten = forgotten;
      }

      /** Returns the block that starts at an address, if its first bytes have no owner. */
      @Nullable OwnedBlock at(long start) {
        OwnedBlock block = containing(start);
        return block != null && block.start == start ? block : null;
      }

      @Nullable OwnedBlock containing(long address) {
        return owner(parts.containing(address));
      }

      /** Returns the last block with bytes in a range. */
      @Nullable OwnedBlock overlapping(long start, long end) {
        return owner(parts.lastIn(start, end));
      }

      private static @Nullable OwnedBlock owner(RangeMap.@Nullable Range<OwnedBlock> part) {
        return part == null ? null : part.value();
      }

      /** Adds a freed block. */
      void add(OwnedBlock block) {
        parts.put(block.start, block.end, block);
        blocks.add(block);
        if (blocks.size() > LIMIT) {
          OwnedBlock oldest = blocks.remove();
          for (RangeMap.Range<OwnedBlock> part : parts.in(oldest.start, oldest.end)) {
            if (part.value() == oldest) {
              parts.remove(part.start(), part.end());
            }
          }
          forgotten.accept(oldest);
        } else if (blocks.size() > 2 * parts.size() + SLACK) {
          List<OwnedBlock> gone = blocks.stream().filter(each -> !hasParts(each)).toList();
          blocks.removeAll(Set.copyOf(gone));
          gone.forEach(forgotten);
        }
      }

      private boolean hasParts(OwnedBlock block) {
        for (RangeMap.Range<OwnedBlock> part : parts.in(block.start, block.end)) {
          if (part.value() == block) {
            return true;
          }
        }
        return false;
      }

      /** Forgets a range that has a new owner or went away. */
      void forget(long start, long end) {
        parts.remove(start, end);
      }
    }
  }
}
