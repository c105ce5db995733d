package org.vramkit.pool.caching.internal.heap;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.Insides;
import org.vramkit.pool.caching.internal.arena.Arena;
import org.vramkit.pool.caching.internal.heap.Block.Place;
import org.vramkit.pool.caching.internal.heap.Region.Chunk;
import org.vramkit.pool.support.PoolLock;

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

  /** Checks every pool of an allocator, at a quiet moment. */
  public static void assertAgrees(CachingAllocator allocator) {
    for (Arena pool : Insides.arenas(allocator)) {
      pool.heap.growth.lock();
      pool.heap.lock.lock();
      try {
        new Checks(pool.heap, false).run();
      } finally {
        pool.heap.lock.unlock();
        pool.heap.growth.unlock();
      }
    }
  }

  /** From now on, also checks a heap whenever its lock is released. Called at a quiet moment. */
  public static void watch(Heap heap) {
    if (heap.lock instanceof Watched) {
      return;
    }
    try {
      Field lock = Heap.class.getField("lock");
      lock.setAccessible(true);
      lock.set(heap, new Watched(heap));
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(e.getMessage(), e);
    }
  }

  /** A lock that checks its heap before each release. */
  private static final class Watched extends PoolLock {
    private static final long serialVersionUID = 1;
    private final transient Heap heap;

    Watched(Heap heap) {
      super(heap.health);
      this.heap = heap;
    }

    @Override
    public void unlock() {
      try {
        if (getHoldCount() == 1 && !heap.health.isBroken()) {
          // Memory changes under both locks, so none does if the other one is free now.
          new Checks(heap, heap.growth.isLocked()).run();
        }
      } finally {
        super.unlock();
      }
    }
  }

  private static final class Checks {
    private final Heap heap;

    /** Whether a growth may be in progress, whose block has no memory yet. */
    private final boolean growing;

    private final Set<Block> blocks = new HashSet<>();
    private final Set<Chunk> chunks = new HashSet<>();
    private final Map<StreamState, Long> freeable = new HashMap<>();
    private long chunkBytes;
    private long wholeBytes;
    private long settledBlocks;
    private long unsettledBlocks;
    private long holes;

    Checks(Heap heap, boolean growing) {
      this.heap = heap;
      this.growing = growing;
    }

    void run() {
      heap.regions().forEach(this::check);
      if (!growing) {
        assertEquals(chunkBytes + heap.unplacedBytes(), heap.reservedBytes(), "reserved");
      }
      assertEquals(wholeBytes, heap.releasableBytes(), "bytes of whole chunks that are settled");
      assertEquals(settledBlocks, count(heap::settled, Place.SETTLED), "settled");
      assertEquals(holes, count(heap::holes, Place.HOLE), "holes");
      assertNull(read(heap, "entry"), "an entry of an index is kept for no block");
      StreamState.Unsettled list = requireNonNull(read(heap, "unsettled"));
      StreamState before = null;
      long streams = 0;
      long indexed = 0;
      long idleBytes = 0;
      NeededMemory need = read(heap, "need");
      for (StreamState each = read(list, "first"); each != null; each = read(each, "after")) {
        assertSame(before, read(each, "before"), "links of streams with unsettled blocks");
        assertTrue(each.hasUnsettled(), "a stream in the list has unsettled blocks");
        indexed += count(each::unsettled, Place.UNSETTLED);
        long bytes = freeable.getOrDefault(each, 0L);
        assertEquals(need == null ? 0 : bytes, each.freeableBytes, "bytes of a stream's chunks");
        idleBytes += each.isIdle ? bytes : 0;
        before = each;
        streams++;
      }
      assertSame(before, read(list, "last"), "the last stream with unsettled blocks");
      assertEquals(streams, list.count(), "streams with unsettled blocks");
      assertEquals(unsettledBlocks, indexed, "unsettled");
      if (need != null) {
        assertEquals(wholeBytes, this.<Long>read(need, "settledBytes"), "settled bytes for decay");
        assertEquals(idleBytes, this.<Long>read(need, "idleBytes"), "idle bytes for decay");
      }
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private <T> @Nullable T read(Object of, String name) {
      Class<?> type = of instanceof StreamState ? StreamState.class : of.getClass();
      try {
        Field field = type.getDeclaredField(name);
        field.setAccessible(true);
        return (T) field.get(of);
      } catch (ReflectiveOperationException e) {
        throw new LinkageError(e.getMessage(), e);
      }
    }

    /** Counts the blocks of two indexes, each of which is in the right one and in order. */
    private long count(Function<Boolean, FreeIndex> indexes, Place place) {
      long all = 0;
      for (boolean small : new boolean[] {true, false}) {
        FreeIndex index = indexes.apply(small);
        List<Block> found = index.copy();
        List<Block> sorted = new ArrayList<>(found);
        sorted.sort(Comparator.<Block>comparingLong(b -> b.size).thenComparing(b -> b.address));
        assertEquals(sorted, found, "order of an index");
        for (Block each : found) {
          assertTrue(blocks.contains(each), "an indexed block lies in a region");
          assertEquals(place, each.place, "place of an indexed block");
          assertEquals(small, each.region.small, "index of a block");
          assertSame(
              index, place == Place.UNSETTLED ? each.owner().unsettled(small) : index, "stream");
        }
        assertEquals(found.size(), index.count(), "count of an index");
        assertEquals(found.stream().mapToLong(b -> b.size).sum(), index.bytes(), "its bytes");
        all += found.size();
      }
      return all;
    }

    private void check(Region region) {
      Block before = null;
      long at = region.address;
      for (Block block = region.first; block != null; block = block.next) {
        assertEquals(at, block.address, "blocks tile their region");
        assertTrue(block.size > 0, "a block has bytes");
        assertSame(before, block.previous, "links");
        assertSame(region, block.region, "region");
        blocks.add(block);
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
        case UNSETTLED -> {
          unsettledBlocks++;
          long whole = region.wholeBytes(block.address, block.end());
          freeable.merge(block.owner(), whole, Long::sum);
        }
        case HOLE -> holes++;
        case TAKEN, STUCK, SUSPENDED -> {}
      }
      boolean merged =
          before == null
              || before.place != block.place
              || block.place == Place.TAKEN
              || block.place == Place.STUCK
              || block.place == Place.SUSPENDED
              || (block.place == Place.UNSETTLED && before.streamState != block.streamState);
      assertTrue(merged, () -> "neighbours that are as free are one: " + block.address);
      boolean isGrown = growing && block.place == Place.TAKEN;
      for (long at = block.address; at < block.end(); ) {
        Chunk chunk = region.chunkAt(at);
        if (chunk == null && (isGrown || block.suspended || !block.isMemory())) {
          at = region.pageFrom(at + 1);
        } else {
          assertTrue(block.isMemory(), "a hole has no memory");
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
