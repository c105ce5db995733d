package org.vramkit.pool.caching.cost;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.Stream;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.hazard.CheckerOptions;

/**
 * Counts, because times on a machine that others use as well say little. Events that are recorded
 * and queries of streams are driver calls like any other.
 */
@DisplayName("The cost of a hit, in countable operations")
class HitCostTest {
  private static final int ROUNDS = 100_000;
  private static final int MOST_BYTES = 48;
  private static final int MOST_BATCHES = 100;

  private final SimBackend backend =
      SimBackend.builder()
          .device(DeviceProfile.H200)
          .bytes(false)
          .checker(CheckerOptions.OFF)
          .build();
  private final CachingAllocator allocator = CachingAllocator.create(backend.getDevice(0));

  @AfterEach
  void close() {
    allocator.close();
    backend.close();
  }

  @ParameterizedTest(name = "{0} bytes")
  @ValueSource(longs = {1, 512, 100_000, 1 << 20, (1 << 20) + 1, 8 << 20})
  @DisplayName("at most 48 bytes of garbage for a pair, no driver call, no wait")
  void pair(long size) throws Exception {
    try (Stream stream = backend.getDevice(0).createStream()) {
      assertComesToHits(ROUNDS, () -> CountedCost.of(() -> pairs(stream, size)));
    }
  }

  @ParameterizedTest(name = "{0} bytes")
  @ValueSource(longs = {40 << 20, 1L << 30})
  @DisplayName("no wait for a block that no cache keeps, and a driver call only when haste begins")
  void hugePair(long size) {
    try (Stream stream = backend.getDevice(0).createStream()) {
      pairs(stream, size, ROUNDS / 50);
      int batchesWithCalls = 0;
      for (int batch = 0; batch < 10; batch++) {
        backend.getDriverCalls().reset();
        CountedCost cost = CountedCost.of(() -> pairs(stream, size, ROUNDS / 50));
        assertEquals(0, cost.waits(), "waits");
        batchesWithCalls += backend.getDriverCalls().getCounts().isEmpty() ? 0 : 1;
      }
      // Whenever time begins to count more than memory, blocks are rounded up, once.
      assertTrue(batchesWithCalls <= 1, batchesWithCalls + " batches with driver calls");
    }
  }

  @ParameterizedTest(name = "{1} blocks of {0} bytes")
  @CsvSource({"512, 100", "100000, 4", "1048576, 4", "8388608, 1"})
  @DisplayName("a close by another thread costs the same")
  void closedByAnotherThread(long size, int blocks) throws Exception {
    int handOvers = 2000;
    Allocation[] live = new Allocation[blocks];
    ExecutorService closer = Executors.newSingleThreadExecutor();
    try (Stream stream = backend.getDevice(0).createStream()) {
      assertComesToHits(
          handOvers * blocks,
          () -> {
            CountedCost total = new CountedCost(0, 0);
            for (int i = 0; i < handOvers; i++) {
              CountedCost taken = CountedCost.of(() -> fill(live, size, stream));
              CountedCost given = closer.submit(() -> CountedCost.of(() -> closeAll(live))).get();
              total = total.plus(taken).plus(given);
            }
            return total;
          });
    } finally {
      closer.shutdownNow();
    }
  }

  @ParameterizedTest(name = "{0} threads, {1} bytes")
  @CsvSource({"2, 512", "4, 512", "2, 8388608"})
  @DisplayName("threads on streams of their own never wait for each other")
  void noContention(int threads, long size) throws Exception {
    CyclicBarrier all = new CyclicBarrier(threads);
    Callable<CountedCost> thread =
        () -> {
          try (Stream stream = backend.getDevice(0).createStream()) {
            pairs(stream, size);
            // Each has a block of its own before any goes on: nobody empties another's cache then.
            Allocation own = allocator.allocate(size, stream);
            all.await();
            own.close();
            all.await();
            return CountedCost.of(() -> pairs(stream, size));
          }
        };
    for (CountedCost cost : inParallel(threads, thread)) {
      assertEquals(0, cost.waits());
    }
  }

  /**
   * Caches grow by the share of time that is spent behind them, so a machine that is busy otherwise
   * takes longer until they suffice. What must come is a batch that is nothing but hits.
   */
  private void assertComesToHits(int pairs, Callable<CountedCost> batch) throws Exception {
    List<String> found = new ArrayList<>();
    while (found.size() < MOST_BATCHES) {
      backend.getDriverCalls().reset();
      CountedCost cost = batch.call();
      Map<String, Long> calls = backend.getDriverCalls().getCounts();
      if (cost.bytes() <= (long) MOST_BYTES * pairs && cost.waits() == 0 && calls.isEmpty()) {
        return;
      }
      found.add(cost + " " + calls);
    }
    fail("No batch of " + pairs + " pairs was nothing but hits:\n" + String.join("\n", found));
  }

  private void pairs(Stream stream, long size) {
    pairs(stream, size, ROUNDS);
  }

  private void pairs(Stream stream, long size, int times) {
    for (int i = 0; i < times; i++) {
      allocator.allocate(size, stream).close();
    }
  }

  private void fill(Allocation[] live, long size, Stream stream) {
    for (int i = 0; i < live.length; i++) {
      live[i] = allocator.allocate(size, stream);
    }
  }

  private static void closeAll(Allocation[] live) {
    for (Allocation each : live) {
      each.close();
    }
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
