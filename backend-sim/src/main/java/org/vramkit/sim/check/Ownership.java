package org.vramkit.sim.check;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Blocks that live, by address, and those that were freed last, to name them in reports. */
final class Ownership {
  /** What a driver looks for when it hands memory out. */
  private record Size(int device, long bytes) {
    static Size of(OwnedBlock block) {
      return new Size(block.device, block.end - block.start);
    }
  }

  private final TreeMap<Long, OwnedBlock> live = new TreeMap<>();
  private final DeadBlocks dead = new DeadBlocks();
  private final Map<Size, OwnedBlock> lastFreed = new HashMap<>();

  @Nullable OwnedBlock liveAt(long start) {
    return live.get(start);
  }

  @Nullable OwnedBlock deadAt(long start) {
    return dead.at(start);
  }

  @Nullable OwnedBlock liveContaining(long address) {
    Map.Entry<Long, OwnedBlock> entry = live.floorEntry(address);
    return entry != null && address < entry.getValue().end ? entry.getValue() : null;
  }

  /** The first live block that starts in a range. */
  @Nullable OwnedBlock liveIn(long start, long end) {
    Map.Entry<Long, OwnedBlock> entry = live.ceilingEntry(start);
    return entry != null && entry.getKey() < end ? entry.getValue() : null;
  }

  @Nullable OwnedBlock deadContaining(long address) {
    return dead.containing(address);
  }

  /** A live block that shares bytes with a range. */
  @Nullable OwnedBlock overlapping(long start, long end) {
    Map.Entry<Long, OwnedBlock> entry = live.lowerEntry(end);
    return entry != null && entry.getValue().end > start ? entry.getValue() : null;
  }

  /** The freed block that shares bytes with a range and lies last in it. */
  @Nullable OwnedBlock deadOverlapping(long start, long end) {
    return dead.overlapping(start, end);
  }

  void add(OwnedBlock block) {
    live.put(block.start, block);
    dead.forget(block.start, block.end);
  }

  void free(OwnedBlock block, Operation death) {
    block.death = death;
    live.remove(block.start);
    lastFreed.put(Size.of(block), block);
    OwnedBlock forgotten = dead.add(block);
    if (forgotten != null) {
      lastFreed.remove(Size.of(forgotten), forgotten);
    }
  }

  /**
   * The block whose memory a driver would hand out next for a size: of the device's blocks of that
   * size the one freed last, if nobody has its memory yet.
   */
  @Nullable OwnedBlock lastFreed(int device, long bytes) {
    OwnedBlock block = lastFreed.get(new Size(device, bytes));
    return block != null && !block.hasHeir() ? block : null;
  }

  Collection<OwnedBlock> allLive() {
    return live.values();
  }

  /** Forgets what lay in a range whose memory went away, but for the names of the dead. */
  void drop(long start, long end) {
    live.subMap(start, end).clear();
  }

  void forgetDead(long start, long end) {
    dead.forget(start, end);
  }
}
