package org.vramkit.pool.caching.statistics;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.api.units.ByteSize.MIB;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.TagUsage;
import org.vramkit.pool.caching.AllocatorHistory;
import org.vramkit.pool.caching.AllocatorRecording;
import org.vramkit.pool.caching.AllocatorSnapshot;
import org.vramkit.pool.caching.AllocatorSnapshot.BlockState;
import org.vramkit.pool.caching.AllocatorSnapshot.BlockView;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.HistoryEvent;
import org.vramkit.pool.caching.PrivatePool;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.hazard.CheckerOptions;

@DisplayName("42.19 A recording is of one moment, whatever threads do meanwhile")
class RecordingTest {
  private static final int THREADS = 3;
  private static final int STEPS = 20_000;

  /**
   * A block that a user holds, or that waits for streams.
   *
   * @param size the bytes that the user asked for; 0 once it waits
   * @param tag empty once it waits
   */
  private record Held(long size, String tag, String stream) {
    Held waiting() {
      return new Held(0, "", stream);
    }
  }

  /** What the events of an allocator's whole life lead to. */
  private static Map<Long, Held> replayed(AllocatorHistory history) {
    Map<Long, Held> held = new TreeMap<>();
    for (HistoryEvent each : history) {
      String what = each.toString();
      switch (each.action()) {
        case ALLOCATE -> {
          String stream = "0x" + Long.toHexString(each.stream());
          Held now = new Held(each.size(), each.tag(), stream);
          assertEquals(null, held.put(each.address(), now), what);
        }
        case FREE_REQUESTED -> {
          Held before = requireNonNull(held.get(each.address()), what);
          assertEquals(before.size(), each.size(), what);
          held.put(each.address(), before.waiting());
        }
        case FREE_COMPLETED -> assertTrue(held.remove(each.address()) != null, what);
        default -> {
          // Says nothing of users.
        }
      }
    }
    return held;
  }

  private static Map<Long, Held> shown(AllocatorSnapshot snapshot) {
    Map<Long, Held> held = new TreeMap<>();
    for (BlockView each : blocks(snapshot)) {
      if (each.state() == BlockState.LIVE || each.state() == BlockState.PENDING) {
        held.put(each.address(), new Held(each.requested(), each.tag(), each.stream()));
      }
    }
    return held;
  }

  private static List<BlockView> blocks(AllocatorSnapshot snapshot) {
    return snapshot.segments().stream().flatMap(each -> each.blocks().stream()).toList();
  }

  private static void check(AllocatorRecording recording) {
    assertEquals(0, recording.history().getLost());
    assertEquals(replayed(recording.history()), shown(recording.snapshot()));
    Map<String, Long> tagged =
        blocks(recording.snapshot()).stream()
            .filter(each -> !each.tag().isEmpty())
            .collect(
                Collectors.groupingBy(BlockView::tag, Collectors.summingLong(BlockView::size)));
    for (TagUsage each : recording.snapshot().tags()) {
      assertEquals(each.liveBytes(), tagged.getOrDefault(each.tag(), 0L), each::toString);
    }
  }

  /** Allocates and frees, on two streams and from a private pool. */
  private static void churn(CachingAllocator allocator, int seed) {
    Random random = new Random(seed);
    List<Allocation> held = new ArrayList<>();
    try (SimStream first = (SimStream) allocator.getDevice().createStream();
        SimStream second = (SimStream) allocator.getDevice().createStream();
        PrivatePool pool = allocator.createPool()) {
      for (int i = 0; i < STEPS; i++) {
        if (held.size() > 6 || (!held.isEmpty() && random.nextInt(3) == 0)) {
          held.remove(random.nextInt(held.size())).close();
          continue;
        }
        long bytes = random.nextInt(20) == 0 ? 2 * MIB : 1 + random.nextInt(5_000);
        Allocation allocation =
            random.nextInt(8) == 0
                ? pool.getAllocator().allocate(bytes, first)
                : allocator.tagged("tag " + random.nextInt(4)).allocate(bytes, first);
        if (random.nextInt(6) == 0) {
          allocation.recordUse(second);
        }
        held.add(allocation);
      }
      held.forEach(Allocation::close);
    }
  }

  @ParameterizedTest(name = "virtual memory {0}, checker {1}")
  @DisplayName("its events lead to its blocks, pending ones included")
  @CsvSource({"on,false", "off,false", "on,true"})
  void recordingsBesideThreads(String virtualMemory, boolean checked) throws Exception {
    SimBackend.Builder options = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).bytes(false);
    if (!checked) {
      options.checker(CheckerOptions.OFF);
    }
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    try (SimBackend backend = options.build()) {
      SimDevice device = backend.getDevice(0);
      try (CachingAllocator allocator =
          CachingAllocator.builder(device)
              .set("virtual-memory", virtualMemory)
              .history(64 * MIB)
              .build()) {
        List<Future<?>> churning = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
          int seed = i;
          churning.add(threads.submit(() -> churn(allocator, seed)));
        }
        do {
          check(allocator.getRecording());
        } while (churning.stream().anyMatch(each -> !each.isDone()));
        for (Future<?> each : churning) {
          each.get();
        }
        AllocatorRecording last = allocator.getRecording();
        check(last);
        assertTrue(replayed(last.history()).values().stream().allMatch(each -> each.size() == 0));
        assertEquals(0, backend.getHazardCount());
      }
      assertEquals(List.of(), backend.getLeaks());
    } finally {
      threads.shutdown();
    }
  }
}
