package org.vramkit.pool.caching.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.device.Stream;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.Insides;
import org.vramkit.pool.caching.PrivatePool;
import org.vramkit.pool.caching.ScriptedDevice;
import org.vramkit.pool.caching.internal.arena.StatisticsReader;

@DisplayName("A thread whose place in the table of thread caches is another thread's too")
class SharedPlaceTest {
  private static final int PAIRS = 1000;

  /** Places for pairs of thread and stream in the table of a private pool. */
  private static final int PLACES = 256;

  @Test
  @DisplayName("finds its own thread cache after a search or two, not the other thread's for ever")
  void findsItsOwn() throws InterruptedException {
    ScriptedDevice device = new ScriptedDevice();
    try (CachingAllocator allocator = CachingAllocator.create(device);
        PrivatePool privatePool = allocator.createPool()) {
      Allocator pool = privatePool.getAllocator();
      Stream stream = device.createStream();
      Thread first = new Thread(() -> pool.allocate(4096, stream).close());
      Runnable work =
          () -> {
            for (int i = 0; i < PAIRS; i++) {
              pool.allocate(3 * 4096, stream).close();
            }
          };
      Thread second = new Thread(work);
      while (place(second) != place(first) || cache(second) == cache(first)) {
        second = new Thread(work);
      }
      first.start();
      first.join();
      StatisticsReader statistics = Insides.arenas(allocator).get(1).statistics;
      long before = statistics.searches();
      second.start();
      second.join();
      long searches = statistics.searches() - before;
      assertTrue(searches < PAIRS / 100, searches + " searches for " + PAIRS + " pairs");
    }
    assertEquals(0, device.live());
  }

  private static int place(Thread thread) {
    return (((int) thread.getId() * 0x9E3779B9) >>> 16) & (PLACES - 1);
  }

  /** A processor makes two thread caches for each stream at least. */
  private static int cache(Thread thread) {
    return (int) thread.getId() & 1;
  }
}
