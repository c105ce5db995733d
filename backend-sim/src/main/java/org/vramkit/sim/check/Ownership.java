package org.vramkit.sim.check;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Blocks that live, by address, and those that were freed last, to name them in reports. A pool may
 * take such a block as a segment and hand out blocks of it, which are owned on a level of their
 * own.
 */
final class Ownership {
  /** What a driver looks for when it hands memory out. */
  private record Size(int device, long bytes) {
    static Size of(OwnedBlock block) {
      return new Size(block.device, block.end - block.start);
    }
  }

  /** A range of a live block that a pool divides. */
  private record Segment(long end, Ownership blocks) {}

  final @Nullable Ownership outer;

  /** Ranges whose memory is away for a while, by their start: their blocks live on. */
  private final TreeMap<Long, Long> suspended = new TreeMap<>();

  private final TreeMap<Long, Segment> segments = new TreeMap<>();
  private final TreeMap<Long, OwnedBlock> live = new TreeMap<>();
  private final Map<Size, OwnedBlock> lastFreed = new HashMap<>();
  final DeadBlocks dead = new DeadBlocks(block -> lastFreed.remove(Size.of(block), block));

  /** Owns nothing; divides a block of the outer level, if any. */
  Ownership(@Nullable Ownership outer) {
    this.outer = outer;
  }

  /** The innermost level whose segment holds all of a range. */
  Ownership innermost(long start, long end) {
    Map.Entry<Long, Segment> entry = segments.floorEntry(start);
    return entry != null && entry.getValue().end >= end
        ? entry.getValue().blocks.innermost(start, end)
        : this;
  }

  /** A pool takes a range of a block to hand out blocks of it; nothing if no block holds it. */
  void divide(long start, long end) {
    OwnedBlock block = liveContaining(start);
    if (block != null && end <= block.end) {
      segments.put(start, new Segment(end, new Ownership(this)));
    }
  }

  /** Ends the innermost segment that begins at an address; nothing if none does. */
  void unite(long start) {
    Ownership level = innermost(start, start + 1);
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
    dead.forget(block.start, block.end);
  }

  void free(OwnedBlock block, Operation death) {
    block.end(death);
    live.remove(block.start);
    segments.subMap(block.start, block.end).clear();
    lastFreed.put(Size.of(block), block);
    dead.add(block);
  }

  /**
   * The block whose memory a driver would hand out next for a size: of the device's blocks of that
   * size the one freed last, if nobody has its memory yet.
   */
  @Nullable OwnedBlock lastFreed(int device, long bytes) {
    OwnedBlock block = lastFreed.get(new Size(device, bytes));
    return block != null && !block.hasHeir() ? block : null;
  }

  /** All that live, those of inner levels first: what is beneath them is held for them. */
  Stream<OwnedBlock> allLive() {
    return Stream.concat(
        segments.values().stream().flatMap(segment -> segment.blocks.allLive()),
        live.values().stream());
  }

  /** The memory of a range goes away for a while. */
  void suspend(long start, long end) {
    suspended.put(start, end);
  }

  boolean isSuspended(long address) {
    Map.Entry<Long, Long> range = suspended.floorEntry(address);
    return range != null && address < range.getValue();
  }

  /** Memory lies in a range again, which may be a part of what went away. */
  void resume(long start, long end) {
    Map.Entry<Long, Long> range = suspended.floorEntry(start);
    if (range != null && start < range.getValue()) {
      suspended.remove(range.getKey());
      if (range.getKey() < start) {
        suspended.put(range.getKey(), start);
      }
      if (end < range.getValue()) {
        suspended.put(end, range.getValue());
      }
    }
  }

  /**
   * Forgets what lay in a range whose memory went away. Who had what of it last is known until
   * somebody has it again, or other memory is mapped there.
   */
  void drop(long start, long end) {
    if (isSuspended(start)) {
      return;
    }
    live.subMap(start, end).clear();
    segments.subMap(start, end).clear();
  }

  /**
   * Who had which bytes last, of those that were freed and belong to nobody since. Kept by parts:
   * where some of a block's bytes are handed out again, the others are still known to be its.
   */
  static final class DeadBlocks {
    private static final int LIMIT = 1 << 14;

    /** How many blocks without parts are kept before they are looked for. */
    private static final int SLACK = 64;

    private static final class Death {
      private final OwnedBlock block;
      private int parts;

      Death(OwnedBlock block) {
        this.block = block;
      }
    }

    private record Part(long start, long end, Death death) {}

    private final TreeMap<Long, Part> parts = new TreeMap<>();

    /** Blocks that may have parts left, the oldest first. */
    private final Deque<Death> deaths = new ArrayDeque<>();

    private final Consumer<OwnedBlock> forgotten;

    /** Passes each block on that it forgets. */
    DeadBlocks(Consumer<OwnedBlock> forgotten) {
      this.forgotten = forgotten;
    }

    /** The block that starts at an address, if its beginning is nobody's. */
    @Nullable OwnedBlock at(long start) {
      Part part = parts.get(start);
      return part != null && part.death.block.start == start ? part.death.block : null;
    }

    @Nullable OwnedBlock containing(long address) {
      Map.Entry<Long, Part> entry = parts.floorEntry(address);
      return entry != null && address < entry.getValue().end ? entry.getValue().death.block : null;
    }

    /** The block that has bytes in a range, the last of them. */
    @Nullable OwnedBlock overlapping(long start, long end) {
      Map.Entry<Long, Part> entry = parts.lowerEntry(end);
      return entry != null && entry.getValue().end > start ? entry.getValue().death.block : null;
    }

    /** Adds a block that was freed. */
    void add(OwnedBlock block) {
      forget(block.start, block.end);
      Death death = new Death(block);
      put(block.start, block.end, death);
      deaths.add(death);
      if (deaths.size() > LIMIT) {
        Death oldest = deaths.remove();
        parts
            .subMap(oldest.block.start, oldest.block.end)
            .values()
            .removeIf(part -> part.death.equals(oldest));
        forgotten.accept(oldest.block);
      } else if (deaths.size() > 2 * parts.size() + SLACK) {
        forgetThoseWithoutParts();
      }
    }

    private void forgetThoseWithoutParts() {
      deaths.removeIf(
          death -> {
            if (death.parts == 0) {
              forgotten.accept(death.block);
            }
            return death.parts == 0;
          });
    }

    /** A range belongs to somebody again, or went away. */
    void forget(long start, long end) {
      Map.Entry<Long, Part> entry = parts.lowerEntry(end);
      while (entry != null && entry.getValue().end > start) {
        Part part = entry.getValue();
        parts.remove(part.start);
        part.death.parts--;
        if (part.end > end) {
          put(end, part.end, part.death);
        }
        if (part.start < start) {
          put(part.start, start, part.death);
        }
        entry = parts.lowerEntry(part.start);
      }
    }

    private void put(long start, long end, Death death) {
      parts.put(start, new Part(start, end, death));
      death.parts++;
    }
  }
}
