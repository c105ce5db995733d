package org.vramkit.pool.caching.internal.heap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.Insides;
import org.vramkit.pool.caching.internal.arena.Arena;
import org.vramkit.pool.caching.internal.heap.Region.Chunk;

/** The invariants of a heap: blocks, indexes and chunks agree. */
public final class HeapChecks {
  private HeapChecks() {}

  /** A region without memory, for tests of what lies in one. */
  public static Region region(long bytes) {
    return new Region(0, bytes, false, 1);
  }

  /** A block of it. */
  public static Block block(Region region, long address, long bytes) {
    return new Block(region, address, bytes);
  }

  /** Breaks a heap, as an error of the JVM in the middle of a change does. */
  public static void breakWith(Error error, Heap heap) {
    heap.brokenBy = error;
  }

  /** Checks every pool of an allocator, at a quiet moment. */
  public static void assertAgrees(CachingAllocator allocator) {
    for (Arena pool : Insides.arenas(allocator)) {
      pool.heap.growth.lock();
      pool.heap.lock.lock();
      try {
        new Checks(pool).run();
      } finally {
        pool.heap.lock.unlock();
        pool.heap.growth.unlock();
      }
    }
  }

  private static final class Checks {
    private final Arena pool;
    private final Heap heap;
    private final Set<Chunk> chunks = new HashSet<>();
    private long chunkBytes;
    private long wholeBytes;
    private long settledBlocks;
    private long unsettledBlocks;
    private long holes;

    Checks(Arena pool) {
      this.pool = pool;
      this.heap = pool.heap;
    }

    void run() {
      heap.regions().forEach(this::check);
      assertEquals(chunkBytes + heap.unplacedBytes(), heap.reservedBytes(), "reserved");
      assertEquals(wholeBytes, heap.releasableBytes(), "bytes of whole chunks that are settled");
      assertEquals(
          settledBlocks, heap.settled(true).count() + heap.settled(false).count(), "settled");
      assertEquals(holes, heap.holes(true).count() + heap.holes(false).count(), "holes");
      long indexed = 0;
      for (StreamState each : pool.streams.all()) {
        indexed += each.unsettledSmall.count() + each.unsettledLarge.count();
      }
      assertEquals(unsettledBlocks, indexed, "unsettled");
    }

    private void check(Region region) {
      Block before = null;
      long at = region.address;
      for (Block block = region.first; block != null; block = block.next) {
        assertEquals(at, block.address, "blocks tile their region");
        assertTrue(block.size > 0, "a block has bytes");
        assertSame(before, block.previous, "links");
        assertSame(region, block.region, "region");
        check(block, before);
        at = block.end();
        before = block;
      }
      assertEquals(region.end(), at, "blocks tile their region");
    }

    private void check(Block block, @Nullable Block before) {
      Region region = block.region;
      switch (block.place) {
        case SETTLED -> {
          settledBlocks++;
          wholeBytes += region.wholeBytes(block.address, block.end());
        }
        case UNSETTLED -> unsettledBlocks++;
        case HOLE -> holes++;
        case TAKEN, STUCK, SUSPENDED -> {}
      }
      boolean merged =
          before == null
              || before.place != block.place
              || block.place == Block.Place.TAKEN
              || block.place == Block.Place.SUSPENDED
              || (block.place == Block.Place.UNSETTLED && before.streamState != block.streamState);
      assertTrue(merged, () -> "neighbours that are as free are one: " + block.address);
      for (long at = block.address; at < block.end(); ) {
        Chunk chunk = region.chunkAt(at);
        if (!block.isMemory() || (block.suspended && chunk == null)) {
          assertNull(chunk, "a hole has no memory");
          at = region.pageFrom(at + 1);
        } else {
          assertNotNull(chunk, "a block has memory");
          assertSame(region, chunk.region, "where a chunk lies");
          if (chunks.add(chunk)) {
            chunkBytes += chunk.size;
          }
          at = chunk.end();
        }
      }
    }
  }
}
