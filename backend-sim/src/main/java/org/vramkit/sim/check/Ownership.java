package org.vramkit.sim.check;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
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
    block.death = death;
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

  /**
   * Forgets what lay in a range whose memory went away. Who had what of it last is known until
   * somebody has it again, or other memory is mapped there.
   */
  void drop(long start, long end) {
    live.subMap(start, end).clear();
    segments.subMap(start, end).clear();
  }
}
