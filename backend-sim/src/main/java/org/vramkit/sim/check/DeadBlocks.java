package org.vramkit.sim.check;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Who had which bytes last, of those that were freed and belong to nobody since. Kept by parts:
 * where some of a block's bytes are handed out again, the others are still known to be its.
 */
final class DeadBlocks {
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
