package org.vramkit.pool.caching.size;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.pool.caching.Sandbox.MIB;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.AllocatorOutOfMemoryException;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.pool.caching.AdviceText;
import org.vramkit.pool.caching.CountingSource;
import org.vramkit.pool.caching.Insides;
import org.vramkit.pool.caching.OnBothMemories;
import org.vramkit.pool.caching.PoolScope;
import org.vramkit.pool.caching.PrivatePool;
import org.vramkit.pool.caching.PrivatePoolOptions;
import org.vramkit.pool.caching.Sandbox;
import org.vramkit.pool.caching.SlabSource;
import org.vramkit.pool.caching.SnapshotChecks;
import org.vramkit.pool.caching.VirtualMemoryUse;
import org.vramkit.pool.caching.internal.heap.HeapChecks;
import org.vramkit.sim.SimStream;

@DisplayName("17.26 Memory with an aligned address")
class AlignmentTest {

  @OnBothMemories
  @DisplayName("17.26 comes in all sizes and alignments, and books and maps stay right")
  void random(VirtualMemoryUse use) {
    long seed = 26;
    SplittableRandom random = new SplittableRandom(seed);
    try (Sandbox box = Sandbox.on(use)) {
      List<SimStream> streams = List.of(box.stream, box.newStream());
      List<Allocation> held = new ArrayList<>();
      long requested = 0;
      for (int step = 0; step < 3000; step++) {
        String where = "seed " + seed + ", step " + step;
        SimStream stream = streams.get(random.nextInt(2));
        long bytes = 1 + random.nextLong(random.nextInt(10) == 0 ? 12 * MIB : 100_000);
        if (random.nextInt(3) < 2 && held.size() < 100) {
          long alignment = 1L << random.nextInt(22);
          Allocation block =
              random.nextInt(4) == 0
                  ? box.allocator.allocate(bytes, stream)
                  : box.allocator.allocateAligned(bytes, alignment, stream);
          held.add(block);
          requested += bytes;
          stream.fill(block.getAddress(), (byte) step, bytes);
        } else if (!held.isEmpty()) {
          Allocation block = held.remove(random.nextInt(held.size()));
          requested -= block.getSize();
          block.close();
        }
        if (step % 50 == 0) {
          SnapshotChecks.assertSums(box.statistics(), requested, held.size());
          SnapshotChecks.assertAgrees(box.allocator);
          HeapChecks.assertAgrees(box.allocator);
        }
        if (step % 500 == 0) {
          box.allocator.emptyCache();
        }
        assertTrue(
            held.stream().map(Allocation::getAddress).distinct().count() == held.size(), where);
      }
      held.forEach(Allocation::close);
    }
  }

  @OnBothMemories
  @DisplayName("17.26 begins where it was asked to")
  void aligned(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use)) {
      for (long alignment = 1; alignment <= 2 * MIB; alignment *= 2) {
        box.allocate(1000);
        for (long bytes : new long[] {1, 5000, 3 * MIB}) {
          try (Allocation block = box.allocator.allocateAligned(bytes, alignment, box.stream)) {
            assertEquals(0, block.getAddress() % alignment, bytes + " to " + alignment);
            assertEquals(bytes, block.getSize());
          }
        }
      }
    }
  }

  @OnBothMemories
  @DisplayName(
      "17.26 is found again in the cache, takes no more than it needs, and its rest serves")
  void reused(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use)) {
      box.allocate(1000);
      Allocation first = box.allocator.allocateAligned(4096, MIB, box.stream);
      long address = first.getAddress();
      assertEquals(1024 + 4096, box.statistics().allocated().current());
      long reserved = box.statistics().reserved().current();
      box.allocate(500_000);
      assertEquals(reserved, box.statistics().reserved().current());
      first.close();
      long misses = box.statistics().misses();
      for (int i = 0; i < 10; i++) {
        try (Allocation again = box.allocator.allocateAligned(4096, MIB, box.stream)) {
          assertEquals(address, again.getAddress());
        }
      }
      assertEquals(misses, box.statistics().misses());
    }
  }

  @OnBothMemories
  @DisplayName("17.26 uses the limit to the last byte if the free memory is aligned")
  void toTheLimit(VirtualMemoryUse use) {
    for (long alignment : new long[] {512, 4096, MIB, 2 * MIB}) {
      try (Sandbox box = Sandbox.on(use, b -> b.limit(40 * MIB))) {
        for (int i = 0; i < 2; i++) {
          box.allocator.allocateAligned(40 * MIB, alignment, box.stream).close();
          box.allocate(40 * MIB).close();
        }
        Allocation live = box.allocate(20 * MIB);
        box.allocator.allocateAligned(20 * MIB, alignment, box.stream).close();
        assertThrows(
            AllocatorOutOfMemoryException.class,
            () -> box.allocator.allocateAligned(21 * MIB, alignment, box.stream));
        live.close();
        SnapshotChecks.assertAgrees(box.allocator);
        assertEquals(1, box.statistics().outOfMemories());
      }
    }
  }

  @OnBothMemories
  @DisplayName("17.26 comes from the pool that a scope leads to, also from a source of segments")
  void inPool(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use)) {
      PrivatePoolOptions fromSource =
          PrivatePoolOptions.DEFAULT.withSource(new CountingSource(box.device));
      for (PrivatePoolOptions options : List.of(PrivatePoolOptions.DEFAULT, fromSource)) {
        try (PrivatePool pool = box.allocator.createPool(options)) {
          Allocation block;
          try (PoolScope scope = pool.use()) {
            block = box.allocator.allocateAligned(1000, 65_536, box.stream);
            assertFalse(Insides.isClosed(scope));
          }
          assertEquals(0, block.getAddress() % 65_536);
          assertTrue(pool.holdsExactly(List.of(block)));
          block.close();
        }
      }
    }
  }

  @Test
  @DisplayName("17.26 takes more than its size only where a source does not align its segments")
  void unalignedSource() {
    for (long offset : new long[] {0, 256, 65_536, MIB}) {
      try (Sandbox box = Sandbox.standard()) {
        SlabSource source = new SlabSource((1L << 46) + offset, 256 * MIB);
        PrivatePoolOptions options = PrivatePoolOptions.DEFAULT.withSource(source);
        try (PrivatePool pool = box.allocator.createPool(options.withLimit(44 * MIB));
            PoolScope scope = pool.use()) {
          Allocation first = box.allocator.allocateAligned(20 * MIB, 2 * MIB, box.stream);
          assertEquals(0, first.getAddress() % (2 * MIB));
          assertFalse(Insides.isClosed(scope));
          List<String> ways =
              AdviceText.alternatives(
                  assertThrows(
                          AllocatorOutOfMemoryException.class,
                          () -> box.allocator.allocateAligned(44 * MIB, 2 * MIB, box.stream))
                      .getReport()
                      .advice());
          long most = AdviceText.sizeOf(ways, "ask for at most ");
          assertEquals(offset == 0 ? 24 * MIB : 20 * MIB, most);
          assertThrows(
              AllocatorOutOfMemoryException.class,
              () -> box.allocator.allocateAligned(most + MIB, 2 * MIB, box.stream));
          box.allocator.allocateAligned(most, 2 * MIB, box.stream).close();
          first.close();
        }
      }
    }
  }

  @OnBothMemories
  @DisplayName("17.26 an unaligned block stays free as it was, whichever stream had it before")
  void triedInVain(VirtualMemoryUse use) {
    for (long seed = 1; seed <= 40; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      try (Sandbox box = Sandbox.uncached(use, builder -> builder.limit(24 * MIB))) {
        List<SimStream> streams = List.of(box.stream, box.stream, box.stream, box.newStream());
        List<Allocation> held = new ArrayList<>();
        for (int step = 0; step < 200; step++) {
          SimStream stream = streams.get(random.nextInt(streams.size()));
          long bytes = random.nextLong(MIB, 7 * MIB);
          try {
            held.add(
                random.nextBoolean()
                    ? box.allocator.allocate(bytes, stream)
                    : box.allocator.allocateAligned(bytes, 2 * MIB, stream));
          } catch (DeviceOutOfMemoryException full) {
            held.remove(random.nextInt(held.size())).close();
          }
          if (random.nextInt(3) == 0 && !held.isEmpty()) {
            held.remove(random.nextInt(held.size())).close();
            box.allocator.trim(Long.MAX_VALUE);
          }
        }
        held.forEach(Allocation::close);
        box.allocator.trim(0);
        assertEquals(0, box.statistics().reserved().current(), "seed " + seed);
      }
    }
  }

  @Test
  @DisplayName("17.26 is rejected if it is no power of two")
  void refused() {
    try (Sandbox box = Sandbox.standard()) {
      for (long alignment : new long[] {0, -1, 3, 4 * MIB, Long.MIN_VALUE}) {
        assertThrows(
            InvalidArgumentException.class,
            () -> box.allocator.allocateAligned(1, alignment, box.stream));
      }
      assertEquals(0, box.allocator.allocateAligned(0, 512, box.stream).getAddress());
    }
    Sandbox closed = Sandbox.standard();
    closed.close();
    assertThrows(
        ClosedException.class, () -> closed.allocator.allocateAligned(1, 512, closed.stream));
  }
}
