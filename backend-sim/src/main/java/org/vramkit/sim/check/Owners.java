package org.vramkit.sim.check;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Whose memory is whose: what the driver allocated, and the blocks that pools handed out of it. */
final class Owners {
  final BlockMap driver = new BlockMap(null);

  /** Page-locked and managed buffers. */
  final BlockMap host = new BlockMap(null);

  /** The blocks of pools over the driver's memory; those of pools over such blocks lie within. */
  final BlockMap pools = new BlockMap(null);

  private long latest;

  long nextId() {
    return ++latest;
  }

  /** The blocks of the pool that an address belongs to, of pools over pools the innermost. */
  BlockMap poolAt(long address) {
    return pools.innermost(address, address + 1);
  }

  /**
   * The blocks of the pool that is meant by the first byte of one and its stream: of pools over
   * pools the innermost, unless the block there is of another stream.
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

  /** Whoever an address belongs to: the user of a pool before the pool; null for nobody. */
  @Nullable OwnedBlock liveContaining(long address) {
    for (BlockMap pool = poolAt(address); pool != null; pool = pool.outer) {
      OwnedBlock block = pool.liveContaining(address);
      if (block != null) {
        return block;
      }
    }
    return driver.liveContaining(address);
  }

  void forgetDead(long start, long end) {
    driver.freed.forget(start, end);
    pools.freed.forget(start, end);
  }

  /** The block of a pool that an address was of and that is nobody's; null for none. */
  @Nullable OwnedBlock closedAt(long address) {
    BlockMap pool = poolAt(address);
    return pool.liveContaining(address) == null ? pool.freed.containing(address) : null;
  }

  /**
   * Blocks that live, by address, and those that were freed last, to name them in reports. A pool
   * may take such a block as a segment and hand out blocks of it, which are owned on a level of
   * their own.
   */
  static final class BlockMap {
    /** What a driver looks for when it hands memory out. */
    private record Size(int device, long bytes) {
      static Size of(OwnedBlock block) {
        return new Size(block.device, block.end - block.start);
      }
    }

    /** A range of a live block that a pool divides. */
    private record Segment(long end, BlockMap blocks) {}

    final @Nullable BlockMap outer;
    private final TreeMap<Long, Segment> segments = new TreeMap<>();
    private final TreeMap<Long, OwnedBlock> live = new TreeMap<>();
    private final Map<Size, OwnedBlock> lastFreed = new HashMap<>();
    final FreedBlocks freed = new FreedBlocks(block -> lastFreed.remove(Size.of(block), block));

    /** Owns nothing; divides a block of the outer level, if any. */
    BlockMap(@Nullable BlockMap outer) {
      this.outer = outer;
    }

    /** The innermost level whose segment holds all of a range. */
    BlockMap innermost(long start, long end) {
      Map.Entry<Long, Segment> entry = segments.floorEntry(start);
      return entry != null && entry.getValue().end >= end
          ? entry.getValue().blocks.innermost(start, end)
          : this;
    }

    /** A pool takes a range of a block to hand out blocks of it; nothing if no block holds it. */
    void addSegment(long start, long end) {
      OwnedBlock block = liveContaining(start);
      if (block != null && end <= block.end) {
        segments.put(start, new Segment(end, new BlockMap(this)));
      }
    }

    /** Ends the innermost segment that begins at an address; nothing if none does. */
    void removeSegment(long start) {
      BlockMap level = innermost(start, start + 1);
      while (level.outer != null && !level.outer.segments.containsKey(start)) {
        level = level.outer;
      }
      if (level.outer != null) {
        level.outer.segments.remove(start);
      }
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

    void add(OwnedBlock block) {
      live.put(block.start, block);
      freed.forget(block.start, block.end);
    }

    void free(OwnedBlock block, Operation free) {
      block.end(free);
      live.remove(block.start);
      segments.subMap(block.start, block.end).clear();
      lastFreed.put(Size.of(block), block);
      freed.add(block);
    }

    /**
     * The block whose memory a driver would hand out next for a size: of the device's blocks of
     * that size the one freed last, if nobody has its memory yet.
     */
    @Nullable OwnedBlock lastFreed(int device, long bytes) {
      OwnedBlock block = lastFreed.get(new Size(device, bytes));
      return block != null && !block.hasSuccessor() ? block : null;
    }

    /** All that live, those of inner levels first: what is beneath them is held for them. */
    Stream<OwnedBlock> allLive() {
      return Stream.concat(
          segments.values().stream().flatMap(segment -> segment.blocks.allLive()),
          live.values().stream());
    }

    /**
     * Forgets what lay in a range whose memory went away. Who had what of it last is known until
     * somebody has it again, or other memory is mapped there.
     */
    void drop(long start, long end) {
      live.subMap(start, end).clear();
      segments.subMap(start, end).clear();
    }

    /**
     * Who had which bytes last, of those that were freed and belong to nobody since. Kept by parts:
     * where some of a block's bytes are handed out again, the others are still known to be its.
     */
    static final class FreedBlocks {
      private static final int LIMIT = 1 << 14;

      /** How many blocks without parts are kept before they are looked for. */
      private static final int SLACK = 64;

      private static final class FreedBlock {
        private final OwnedBlock block;
        private int parts;

        FreedBlock(OwnedBlock block) {
          this.block = block;
        }
      }

      private record Part(long start, long end, FreedBlock owner) {}

      private final TreeMap<Long, Part> parts = new TreeMap<>();

      /** Blocks that may have parts left, the oldest first. */
      private final Deque<FreedBlock> blocks = new ArrayDeque<>();

      private final Consumer<OwnedBlock> forgotten;

      /** Passes each block on that it forgets. */
      FreedBlocks(Consumer<OwnedBlock> forgotten) {
        this.forgotten = forgotten;
      }

      /** The block that starts at an address, if its beginning is nobody's. */
      @Nullable OwnedBlock at(long start) {
        Part part = parts.get(start);
        return part != null && part.owner.block.start == start ? part.owner.block : null;
      }

      @Nullable OwnedBlock containing(long address) {
        Map.Entry<Long, Part> entry = parts.floorEntry(address);
        return entry != null && address < entry.getValue().end
            ? entry.getValue().owner.block
            : null;
      }

      /** The block that has bytes in a range, the last of them. */
      @Nullable OwnedBlock overlapping(long start, long end) {
        Map.Entry<Long, Part> entry = parts.lowerEntry(end);
        return entry != null && entry.getValue().end > start ? entry.getValue().owner.block : null;
      }

      /** Adds a block that was freed. */
      void add(OwnedBlock block) {
        forget(block.start, block.end);
        FreedBlock owner = new FreedBlock(block);
        put(block.start, block.end, owner);
        blocks.add(owner);
        if (blocks.size() > LIMIT) {
          FreedBlock oldest = blocks.remove();
          parts
              .subMap(oldest.block.start, oldest.block.end)
              .values()
              .removeIf(part -> part.owner.equals(oldest));
          forgotten.accept(oldest.block);
        } else if (blocks.size() > 2 * parts.size() + SLACK) {
          forgetThoseWithoutParts();
        }
      }

      private void forgetThoseWithoutParts() {
        blocks.removeIf(
            owner -> {
              if (owner.parts == 0) {
                forgotten.accept(owner.block);
              }
              return owner.parts == 0;
            });
      }

      /** A range belongs to somebody again, or went away. */
      void forget(long start, long end) {
        Map.Entry<Long, Part> entry = parts.lowerEntry(end);
        while (entry != null && entry.getValue().end > start) {
          Part part = entry.getValue();
          parts.remove(part.start);
          part.owner.parts--;
          if (part.end > end) {
            put(end, part.end, part.owner);
          }
          if (part.start < start) {
            put(part.start, start, part.owner);
          }
          entry = parts.lowerEntry(part.start);
        }
      }

      private void put(long start, long end, FreedBlock owner) {
        parts.put(start, new Part(start, end, owner));
        owner.parts++;
      }
    }
  }
}
