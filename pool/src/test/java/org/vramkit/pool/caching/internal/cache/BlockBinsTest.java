package org.vramkit.pool.caching.internal.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.caching.internal.heap.Block;
import org.vramkit.pool.caching.internal.heap.HeapChecks;
import org.vramkit.pool.caching.internal.heap.Region;
import org.vramkit.pool.caching.internal.option.SizeRules;

@DisplayName("Free blocks by size class")
class BlockBinsTest {
  private final Region region = HeapChecks.region(64 * ByteSize.MIB);
  private final Block.Table numbers = new Block.Table();
  private final BlockBins bins = new BlockBins(64 * ByteSize.MIB, numbers);

  private Block block(long size) {
    Block block = HeapChecks.block(region, 0, size);
    numbers.give(block);
    return block;
  }

  private static List<Block> listed(@Nullable Block first) {
    List<Block> blocks = new ArrayList<>();
    for (Block each = first; each != null; each = each.nextCached) {
      blocks.add(each);
    }
    return blocks;
  }

  @Test
  @DisplayName(
      "with reach 0 only the exact size serves, with 1 the next class, with 8 half as much more")
  void reach() {
    Block larger = block(1536 * ByteSize.KIB);
    bins.push(larger);
    assertNull(bins.pop(ByteSize.MIB, 0));
    assertNull(bins.pop(ByteSize.MIB, 1));
    assertSame(larger, bins.pop(ByteSize.MIB, 8));
    bins.push(larger);
    assertSame(larger, bins.pop(larger.size, 0));
    bins.push(larger);
    assertSame(larger, bins.pop(larger.size - ByteSize.MIB / 16, 1));
    assertEquals(0, bins.bytes());
  }

  @Test
  @DisplayName("a served block is large enough and not too large, whatever was put in before")
  void random() {
    long seed = 4711;
    SplittableRandom random = new SplittableRandom(seed);
    long bytes = 0;
    for (int step = 0; step < 200_000; step++) {
      long size = (1 + random.nextLong(1L << (1 + random.nextInt(15)))) * SizeRules.QUANTUM;
      if (random.nextBoolean()) {
        bins.push(block(size));
        bytes += size;
      } else {
        Block served = bins.pop(size, 8);
        if (served != null) {
          bytes -= served.size;
          assertTrue(served.size >= size, "seed " + seed + " step " + step);
          // Below 8 KiB classes are single quanta, and eight of them are more.
          long most = Math.max(size * 25 / 16, size + 8 * SizeRules.QUANTUM);
          assertTrue(served.size <= most, "seed " + seed + " step " + step);
        }
      }
      assertEquals(bytes, bins.bytes(), "seed " + seed + " step " + step);
    }
    assertEquals(bins.count(), listed(bins.drain(0)).size());
    assertEquals(0, bins.bytes());
    assertNull(bins.pop(SizeRules.QUANTUM, 8));
  }

  @Test
  @DisplayName("draining goes from the largest class to the smallest, and leaves out none")
  void drain() {
    List<Block> blocks = new ArrayList<>();
    for (long size = 512; size <= 64 * ByteSize.MIB; size *= 2) {
      blocks.add(block(size));
    }
    blocks.forEach(bins::push);
    Block largest = blocks.get(blocks.size() - 1);
    assertEquals(List.of(largest), listed(bins.drain(64 * ByteSize.MIB)));
    blocks.remove(largest);
    // Linked the newest first, so the smallest was moved out last.
    assertEquals(blocks, listed(bins.drain(0)));
    assertEquals(0, bins.bytes());
    assertNull(bins.drain(0));
  }
}
