package org.vramkit.pool.caching.statistics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.pool.caching.Sandbox.MIB;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.DisplayName;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.api.allocator.Stat;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.OnBothMemories;
import org.vramkit.pool.caching.PrivatePool;
import org.vramkit.pool.caching.Sandbox;
import org.vramkit.pool.caching.VirtualMemoryUse;
import org.vramkit.sim.SimStream;

@DisplayName("Peaks are what was, and never above what can have been")
class PeakBehavioursTest {

  @OnBothMemories
  @DisplayName("17.18 two allocations on a fresh allocator are a peak of two, not of claims ahead")
  void firstImpression(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use)) {
      box.allocate(1000);
      box.allocate(1000);
      AllocatorStatistics now = box.statistics();
      assertEquals(2, now.allocations().peak());
      assertEquals(2000, now.requested().peak());
      assertEquals(2048, now.allocated().peak());
      assertEquals(2048, now.active().peak());
      assertTrue(now.active().peak() <= now.reserved().peak(), now.toString());
    }
  }

  @OnBothMemories
  @DisplayName("17.18 of one stream are exact, also with uses by other streams")
  void oneStream(VirtualMemoryUse use) {
    program(use, 18, 1, false);
  }

  @OnBothMemories
  @DisplayName(
      "17.18 of several streams and pools exceed the truth by what the caches held at most")
  void severalStreams(VirtualMemoryUse use) {
    program(use, 19, 3, true);
  }

  private static void program(VirtualMemoryUse use, long seed, int allocating, boolean pools) {
    SplittableRandom random = new SplittableRandom(seed);
    try (Sandbox box = Sandbox.on(use);
        PrivatePool pool = box.allocator.createPool()) {
      List<Allocator> allocators =
          pools ? List.of(box.allocator, pool.getAllocator()) : List.of(box.allocator);
      List<SimStream> streams = List.of(box.stream, box.newStream(), box.newStream());
      List<Allocation> held = new ArrayList<>();
      List<List<Stat>> before = allocators.stream().map(each -> tallies(each)).toList();
      List<Free> mostFree = new ArrayList<>(List.of(Free.NONE, Free.NONE));
      for (int step = 0; step < 1500; step++) {
        int choice = random.nextInt(40);
        if (choice < 20) {
          long bytes = 1 + random.nextLong(random.nextInt(10) == 0 ? 3 * MIB : 20_000);
          SimStream stream = streams.get(random.nextInt(allocating));
          held.add(allocators.get(random.nextInt(allocators.size())).allocate(bytes, stream));
        } else if (choice < 38) {
          if (!held.isEmpty()) {
            Allocation block = held.remove(random.nextInt(held.size()));
            if (choice < 23) {
              box.busy(streams.get(random.nextInt(streams.size())), block, 1_000_000);
              streams.forEach(block::recordUse);
            }
            block.close();
          }
        } else if (choice < 39) {
          box.allocator.emptyCache();
        } else if (random.nextInt(4) == 0) {
          box.allocator.resetPeaks();
          before = allocators.stream().map(each -> withoutPeaks(tallies(each))).toList();
        }
        List<List<Stat>> now = new ArrayList<>();
        for (int i = 0; i < allocators.size(); i++) {
          AllocatorStatistics told = allocators.get(i).getStatistics();
          mostFree.set(i, mostFree.get(i).or(told));
          Free allowed = allocating == 1 ? Free.NONE : mostFree.get(i);
          String where = "seed " + seed + ", step " + step + ", allocator " + i;
          now.add(withTruePeaks(before.get(i), tallies(told)));
          assertPeaks(now.get(i), tallies(told), allowed, where);
        }
        before = now;
      }
      held.forEach(Allocation::close);
    }
  }

  /** What was free in thread caches at most, with the rest of blocks that requests left unused. */
  private record Free(long bytes, long blocks) {
    static final Free NONE = new Free(0, 0);

    Free or(AllocatorStatistics now) {
      long unused = now.allocated().current() - now.requested().current();
      return new Free(
          Math.max(bytes, now.cachedBytes() + unused), Math.max(blocks, now.freeBlocks()));
    }
  }

  private static List<Stat> withTruePeaks(List<Stat> before, List<Stat> now) {
    List<Stat> all = new ArrayList<>();
    for (int i = 0; i < now.size(); i++) {
      Stat each = now.get(i);
      long peak = Math.max(before.get(i).peak(), each.current());
      all.add(new Stat(each.current(), peak, each.added(), each.removed()));
    }
    return all;
  }

  private static void assertPeaks(List<Stat> truth, List<Stat> told, Free allowed, String where) {
    for (int i = 0; i < truth.size(); i++) {
      long least = truth.get(i).peak();
      long most = least + (i == 3 ? allowed.blocks : allowed.bytes);
      long peak = told.get(i).peak();
      assertTrue(
          least <= peak && peak <= most,
          where + ", tally " + i + ": " + peak + " from " + least + " to " + most);
    }
  }

  private static List<Stat> withoutPeaks(List<Stat> all) {
    return all.stream()
        .map(each -> new Stat(each.current(), each.current(), each.added(), each.removed()))
        .toList();
  }

  /** Those that thread caches keep; what comes from the driver is exact by a lock. */
  private static List<Stat> tallies(Allocator allocator) {
    return tallies(allocator.getStatistics());
  }

  private static List<Stat> tallies(AllocatorStatistics now) {
    return List.of(now.requested(), now.allocated(), now.active(), now.allocations());
  }

  @OnBothMemories
  @DisplayName("17.18 of concurrent threads are at least the sum held at once, and little more")
  void threads(VirtualMemoryUse use) throws Exception {
    int threads = 4;
    int most = 50;
    try (Sandbox box = Sandbox.on(use)) {
      CyclicBarrier full = new CyclicBarrier(threads);
      List<Callable<Void>> all = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        SimStream stream = i % 2 == 0 ? box.stream : box.newStream();
        long seed = i;
        all.add(() -> comeAndGo(box.allocator, stream, most, full, seed));
      }
      ExecutorService executor = Executors.newFixedThreadPool(threads);
      try {
        for (Future<Void> each : executor.invokeAll(all)) {
          each.get();
        }
      } finally {
        executor.shutdownNow();
      }
      AllocatorStatistics now = box.statistics();
      long held = (long) threads * most;
      // A thread that finds its thread cache taken has blocks in two, which bound peaks together.
      assertBetween(held, 2 * held, now.allocations().peak());
      assertBetween(1000 * held, 2000 * held, now.requested().peak());
      assertBetween(1024 * held, 2048 * held, now.allocated().peak());
      assertBetween(1024 * held, 2048 * held, now.active().peak());
      assertTrue(now.active().peak() <= now.reserved().peak(), now.toString());
    }
  }

  private static void assertBetween(long least, long most, long actual) {
    assertTrue(least <= actual && actual <= most, actual + " from " + least + " to " + most);
  }

  private static Void comeAndGo(
      CachingAllocator allocator, SimStream stream, int most, CyclicBarrier full, long seed)
      throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    List<Allocation> held = new ArrayList<>();
    for (int step = 0; step < 5000; step++) {
      if (held.isEmpty() || (held.size() < most && random.nextBoolean())) {
        held.add(allocator.allocate(1000, stream));
      } else {
        held.remove(random.nextInt(held.size())).close();
      }
    }
    while (held.size() < most) {
      held.add(allocator.allocate(1000, stream));
    }
    full.await();
    held.forEach(Allocation::close);
    return null;
  }
}
