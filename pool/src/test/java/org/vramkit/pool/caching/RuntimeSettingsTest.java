package org.vramkit.pool.caching;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.pool.caching.Sandbox.MIB;

import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.AllocatorOutOfMemoryException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.units.ByteSize;

@DisplayName("17.26 Settings of a running allocator")
class RuntimeSettingsTest {

  @Test
  @DisplayName("17.26 of a limit and a fraction set by two threads at once the lesser counts")
  void limitBesideFraction() throws Exception {
    int rounds = 50_000;
    ExecutorService other = Executors.newSingleThreadExecutor();
    try (Sandbox box = Sandbox.standard()) {
      CyclicBarrier round = new CyclicBarrier(2);
      Future<?> fractions =
          other.submit(
              () -> {
                for (int i = 0; i < rounds; i++) {
                  round.await();
                  box.allocator.setMemoryFraction(i % 2 == 0 ? 0.5 : 0.25);
                  round.await();
                }
                return null;
              });
      for (int i = 0; i < rounds; i++) {
        long limit = i % 2 == 0 ? ByteSize.GIB : 3 * ByteSize.GIB;
        round.await();
        box.allocator.setLimit(limit);
        round.await();
        long share = i % 2 == 0 ? 4 * ByteSize.GIB : 2 * ByteSize.GIB;
        assertEquals(
            Math.min(limit, share), box.allocator.pools().main().heap.books.limit(), "round " + i);
      }
      fractions.get();
    } finally {
      other.shutdownNow();
    }
  }

  @OnBothMemories
  @DisplayName("17.26 who is asked before an allocation fails can change, for private pools too")
  void handler(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use, b -> b.limit(100 * MIB));
        PrivatePool pool = box.allocator.createPool()) {
      assertSame(OutOfMemoryHandler.NONE, box.allocator.getOutOfMemoryHandler());
      Allocation expendable = box.allocate(60 * MIB);
      assertThrows(AllocatorOutOfMemoryException.class, () -> box.allocate(80 * MIB));
      OutOfMemoryHandler helper =
          (report, attempt) -> {
            expendable.close();
            return attempt == 1;
          };
      box.allocator.setOutOfMemoryHandler(helper);
      assertSame(helper, box.allocator.getOutOfMemoryHandler());
      pool.getAllocator().allocate(80 * MIB, box.stream).close();
    }
  }

  @ParameterizedTest(name = "{0} bytes")
  @ValueSource(longs = {1, 512, 513, 1000, MIB, 84 * MIB, 84 * MIB + 1})
  @DisplayName("17.26 the size that a request becomes can be asked for")
  void sizeOf(long bytes) {
    for (String divisions : new String[] {"none", "4"}) {
      try (Sandbox box = Sandbox.with(b -> b.roundingDivisions(divisions))) {
        box.allocate(bytes);
        assertEquals(box.statistics().allocated().current(), box.allocator.sizeOf(bytes));
      }
    }
  }

  @Test
  @DisplayName("17.26 nothing has the size of nothing, and sizes that are none are refused")
  void noSize() {
    try (Sandbox box = Sandbox.standard()) {
      assertEquals(0, box.allocator.sizeOf(0));
      for (long bytes : new long[] {-1, (1L << 60) + 1}) {
        InvalidArgumentException e =
            assertThrows(InvalidArgumentException.class, () -> box.allocator.sizeOf(bytes));
        assertTrue(e.toString().contains(bytes + " bytes"), e.toString());
      }
    }
  }
}
