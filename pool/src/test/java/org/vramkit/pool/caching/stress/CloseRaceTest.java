package org.vramkit.pool.caching.stress;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.vramkit.pool.caching.Sandbox.MIB;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.pool.caching.Sandbox;
import org.vramkit.sim.SimStream;

@DisplayName("Threads that close each other's allocations")
class CloseRaceTest {
  private static final int THREADS = 4;

  private static void all(List<Callable<Void>> threads) throws Exception {
    ExecutorService executor = Executors.newFixedThreadPool(threads.size());
    try {
      List<Future<Void>> running = new ArrayList<>();
      for (Callable<Void> each : threads) {
        running.add(executor.submit(each));
      }
      for (Future<Void> each : running) {
        each.get();
      }
    } finally {
      executor.shutdownNow();
    }
  }

  private static void assertNothingLive(AllocatorStatistics statistics) {
    assertEquals(0, statistics.getLiveBytes());
    assertEquals(0, statistics.requested().current());
    assertEquals(statistics.allocations().added(), statistics.allocations().removed());
  }

  @Test
  @DisplayName("blocks never overlap, books add up and no hazard is met, while others trim")
  void soak() throws Exception {
    try (Sandbox box = Sandbox.standard()) {
      ConcurrentLinkedQueue<Allocation> open = new ConcurrentLinkedQueue<>();
      ConcurrentSkipListMap<Long, Long> taken = new ConcurrentSkipListMap<>();
      SimStream other = box.newStream();
      List<Callable<Void>> threads = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        long seed = i;
        threads.add(
            () -> {
              SplittableRandom random = new SplittableRandom(seed);
              for (int step = 0; step < 2000; step++) {
                String where = "seed " + seed + " step " + step;
                if (random.nextInt(500) == 0) {
                  box.allocator.trim(0);
                } else if (random.nextBoolean()) {
                  long bytes = random.nextLong(1, random.nextInt(8) == 0 ? 4 * MIB : 64 * 512);
                  SimStream stream = random.nextBoolean() ? box.stream : other;
                  enter(box.allocator.allocate(bytes, stream), taken, open, where);
                } else {
                  leave(open.poll(), taken);
                }
              }
              return null;
            });
      }
      all(threads);
      while (!open.isEmpty()) {
        leave(open.poll(), taken);
      }
      assertNothingLive(box.statistics());
      box.allocator.trim(0);
      assertEquals(0, box.statistics().reserved().current());
    }
  }

  private static void enter(
      Allocation fresh,
      ConcurrentSkipListMap<Long, Long> taken,
      ConcurrentLinkedQueue<Allocation> open,
      String where) {
    long from = fresh.getAddress();
    long end = from + fresh.getSize();
    assertEquals(null, taken.putIfAbsent(from, end), where);
    var below = taken.lowerEntry(from);
    var above = taken.higherEntry(from);
    assertFalse(below != null && below.getValue() > from, where);
    assertFalse(above != null && above.getKey() < end, where);
    open.add(fresh);
  }

  private static void leave(@Nullable Allocation old, ConcurrentSkipListMap<Long, Long> taken) {
    if (old != null) {
      taken.remove(old.getAddress());
      old.close();
    }
  }
}
