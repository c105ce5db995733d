package org.vramkit.sim.check;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Who had which bytes last, of those that were freed and belong to nobody since. Kept by parts:
 * where some of a block's bytes are handed out again, the others are still known to be its.
 */
final class DeadBlocks {
  private static final int LIMIT = 1 << 14;

  private record Part(long start, long end, OwnedBlock block) {}

  private final TreeMap<Long, Part> parts = new TreeMap<>();

  /** Blocks that may have parts left, the oldest first. */
  private final Deque<OwnedBlock> deaths = new ArrayDeque<>();

  /** The block that starts at an address, if its beginning is nobody's. */
  @Nullable OwnedBlock at(long start) {
    Part part = parts.get(start);
    return part != null && part.block.start == start ? part.block : null;
  }

  @Nullable OwnedBlock containing(long address) {
    Map.Entry<Long, Part> entry = parts.floorEntry(address);
    return entry != null && address < entry.getValue().end ? entry.getValue().block : null;
  }

  /** The block that has bytes in a range, the last of them. */
  @Nullable OwnedBlock overlapping(long start, long end) {
    Map.Entry<Long, Part> entry = parts.lowerEntry(end);
    return entry != null && entry.getValue().end > start ? entry.getValue().block : null;
  }

  /** A block was freed; gives the one that is forgotten for it, if any. */
  @Nullable OwnedBlock add(OwnedBlock block) {
    forget(block.start, block.end);
    put(block.start, block.end, block);
    deaths.add(block);
    if (deaths.size() <= LIMIT) {
      return null;
    }
    OwnedBlock oldest = deaths.remove();
    parts.subMap(oldest.start, oldest.end).values().removeIf(part -> part.block.equals(oldest));
    return oldest;
  }

  /** A range belongs to somebody again, or went away. */
  void forget(long start, long end) {
    Map.Entry<Long, Part> entry = parts.lowerEntry(end);
    while (entry != null && entry.getValue().end > start) {
      Part part = entry.getValue();
      parts.remove(part.start);
      if (part.end > end) {
        put(end, part.end, part.block);
      }
      if (part.start < start) {
        put(part.start, start, part.block);
      }
      entry = parts.lowerEntry(part.start);
    }
  }

  private void put(long start, long end, OwnedBlock block) {
    parts.put(start, new Part(start, end, block));
  }
}
