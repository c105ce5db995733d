package org.vramkit.sim.check;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Blocks that live, by address, and those that were freed last, to name them in reports. */
final class Ownership {
  /** How many freed blocks are remembered. */
  private static final int DEAD_LIMIT = 1 << 14;

  private final TreeMap<Long, OwnedBlock> live = new TreeMap<>();
  private final TreeMap<Long, OwnedBlock> dead = new TreeMap<>();

  /** All that are in {@link #dead}, and some that are no more, the oldest first. */
  private final Deque<OwnedBlock> deaths = new ArrayDeque<>();

  /** By size. */
  private final Map<Long, OwnedBlock> lastFreed = new HashMap<>();

  @Nullable OwnedBlock liveAt(long start) {
    return live.get(start);
  }

  @Nullable OwnedBlock deadAt(long start) {
    return dead.get(start);
  }

  @Nullable OwnedBlock liveContaining(long address) {
    return containing(live, address);
  }

  @Nullable OwnedBlock deadContaining(long address) {
    return containing(dead, address);
  }

  private static @Nullable OwnedBlock containing(NavigableMap<Long, OwnedBlock> map, long address) {
    Map.Entry<Long, OwnedBlock> entry = map.floorEntry(address);
    return entry != null && address < entry.getValue().end ? entry.getValue() : null;
  }

  /** A live block that shares bytes with a range. */
  @Nullable OwnedBlock overlapping(long start, long end) {
    Map.Entry<Long, OwnedBlock> entry = live.lowerEntry(end);
    return entry != null && entry.getValue().end > start ? entry.getValue() : null;
  }

  /** The freed block that shares bytes with a range and lies last in it. */
  @Nullable OwnedBlock deadOverlapping(long start, long end) {
    Map.Entry<Long, OwnedBlock> entry = dead.lowerEntry(end);
    return entry != null && entry.getValue().end > start ? entry.getValue() : null;
  }

  void add(OwnedBlock block) {
    live.put(block.start, block);
    dead.remove(block.start);
  }

  void free(OwnedBlock block, Operation death) {
    block.death = death;
    live.remove(block.start);
    dead.put(block.start, block);
    deaths.add(block);
    lastFreed.put(block.end - block.start, block);
    if (deaths.size() > DEAD_LIMIT) {
      OwnedBlock oldest = deaths.remove();
      dead.remove(oldest.start, oldest);
      lastFreed.remove(oldest.end - oldest.start, oldest);
    }
  }

  /**
   * The block whose memory a driver would hand out next for a size: of the blocks of that size the
   * one freed last, if nobody has its memory yet.
   */
  @Nullable OwnedBlock lastFreed(int device, long bytes) {
    OwnedBlock block = lastFreed.get(bytes);
    return block != null && block.device == device && !block.hasHeir() ? block : null;
  }

  Collection<OwnedBlock> allLive() {
    return live.values();
  }

  /** Forgets what lay in a range whose memory went away, but for the names of the dead. */
  void drop(long start, long end) {
    live.subMap(start, end).clear();
  }

  void forgetDead(long start, long end) {
    dead.subMap(start, end).clear();
  }
}
