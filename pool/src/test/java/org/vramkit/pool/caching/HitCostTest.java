package org.vramkit.pool.caching;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.vramkit.api.device.Stream;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.hazard.CheckerOptions;

@DisplayName("What a hit costs, in things that can be counted")
class HitCostTest {
  private static final int ROUNDS = 100_000;
  private static final int MOST_BYTES = 48;
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  /** Bytes and waits of one thread over its rounds. */
  private record Cost(long bytes, long waits) {}

  private static SimBackend unjudged() {
    return SimBackend.builder()
        .device(DeviceProfile.H200)
        .bytes(false)
        .checker(CheckerOptions.OFF)
        .build();
  }

  @ParameterizedTest(name = "{0} bytes")
  @ValueSource(longs = {1, 512, 100_000, 1 << 20})
  @DisplayName("at most 48 bytes of garbage for a pair, and no driver call")
  void garbage(long size) {
    try (SimBackend backend = unjudged();
        CachingAllocator allocator = CachingAllocator.create(backend.getDevice(0));
        Stream stream = backend.getDevice(0).createStream()) {
      pairs(allocator, stream, size);
      backend.getDriverCalls().reset();
      Cost cost = pairs(allocator, stream, size);
      assertTrue(cost.bytes() <= (long) MOST_BYTES * ROUNDS, cost.bytes() + " bytes");
      assertEquals(Map.of(), backend.getDriverCalls().getCounts());
    }
  }

  @ParameterizedTest(name = "{0} threads")
  @ValueSource(ints = {2, 4})
  @DisplayName("threads on streams of their own never wait for each other")
  void noContention(int threads) throws Exception {
    try (SimBackend backend = unjudged();
        CachingAllocator allocator = CachingAllocator.create(backend.getDevice(0))) {
      CyclicBarrier warm = new CyclicBarrier(threads);
      Callable<Cost> thread =
          () -> {
            try (Stream stream = backend.getDevice(0).createStream()) {
              pairs(allocator, stream, 512);
              warm.await();
              return pairs(allocator, stream, 512);
            }
          };
      for (Cost cost : inParallel(threads, thread)) {
        assertEquals(0, cost.waits());
      }
    }
  }

  private static Cost pairs(CachingAllocator allocator, Stream stream, long size) {
    long id = Thread.currentThread().getId();
    long waits = waits(id);
    long bytes = THREADS.getThreadAllocatedBytes(id);
    for (int i = 0; i < ROUNDS; i++) {
      allocator.allocate(size, stream).close();
    }
    bytes = THREADS.getThreadAllocatedBytes(id) - bytes;
    return new Cost(bytes, waits(id) - waits);
  }

  private static long waits(long id) {
    ThreadInfo info = THREADS.getThreadInfo(id);
    return info.getBlockedCount() + info.getWaitedCount();
  }

  private static <T> List<T> inParallel(int threads, Callable<T> each) throws Exception {
    ExecutorService executor = Executors.newFixedThreadPool(threads);
    try {
      List<Future<T>> running = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        running.add(executor.submit(each));
      }
      List<T> results = new ArrayList<>();
      for (Future<T> future : running) {
        results.add(future.get());
      }
      return results;
    } finally {
      executor.shutdownNow();
    }
  }
}
