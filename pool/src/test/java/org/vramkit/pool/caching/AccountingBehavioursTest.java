package org.vramkit.pool.caching;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.pool.caching.Sandbox.MIB;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.api.allocator.Tally;
import org.vramkit.pool.direct.DirectAllocator;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimStream;

/** Behaviours 1 to 10, over both kinds of memory. */
@DisplayName("Accounting")
class AccountingBehavioursTest {

  private static Sandbox box(VirtualMemoryUse use) {
    return box(use, builder -> builder);
  }

  private static Sandbox box(
      VirtualMemoryUse use, UnaryOperator<CachingAllocatorBuilder> settings) {
    return Sandbox.with(builder -> settings.apply(builder.virtualMemory(use)));
  }

  @ParameterizedTest(name = "virtual memory {0}")
  @EnumSource(value = VirtualMemoryUse.class, names = "AUTO", mode = EnumSource.Mode.EXCLUDE)
  @DisplayName("1 one byte makes allocated grow, and its free brings the old value back")
  void oneByte(VirtualMemoryUse use) {
    try (Sandbox box = box(use)) {
      box.allocate(3 * MIB);
      long before = box.statistics().allocated().current();
      Allocation one = box.allocate(1);
      assertTrue(box.statistics().allocated().current() > before);
      one.close();
      assertEquals(before, box.statistics().allocated().current());
    }
  }

  @ParameterizedTest(name = "virtual memory {0}")
  @EnumSource(value = VirtualMemoryUse.class, names = "AUTO", mode = EnumSource.Mode.EXCLUDE)
  @DisplayName("2 a request of 1024 bytes is active until it is freed, and counts once as freed")
  void active(VirtualMemoryUse use) {
    try (Sandbox box = box(use)) {
      Tally clean = box.statistics().active();
      Allocation block = box.allocate(1024);
      assertEquals(clean.current() + 1024, box.statistics().active().current());
      assertEquals(clean.removed(), box.statistics().active().removed());
      block.close();
      box.allocator.emptyCache();
      assertEquals(clean.current(), box.statistics().active().current());
      assertEquals(clean.removed() + 1024, box.statistics().active().removed());
    }
  }

  @ParameterizedTest(name = "virtual memory {0}")
  @EnumSource(value = VirtualMemoryUse.class, names = "AUTO", mode = EnumSource.Mode.EXCLUDE)
  @DisplayName("3 peaks never fall but by a reset, which brings them to the current values")
  void peaks(VirtualMemoryUse use) {
    long seed = 3;
    Random random = new Random(seed);
    try (Sandbox box = box(use)) {
      List<Allocation> live = new ArrayList<>();
      List<Named> last = tallies(box.statistics());
      for (int step = 0; step < 500; step++) {
        boolean reset = random.nextInt(25) == 0;
        if (reset) {
          box.allocator.resetPeaks();
        } else if (live.isEmpty() || random.nextBoolean()) {
          live.add(box.allocate(1 + random.nextInt(4 << 20)));
        } else {
          live.remove(random.nextInt(live.size())).close();
        }
        List<Named> now = tallies(box.statistics());
        String where = "seed " + seed + ", step " + step + ": ";
        for (int i = 0; i < now.size(); i++) {
          String name = where + now.get(i).name();
          Tally tally = now.get(i).tally();
          assertTrue(tally.current() <= tally.peak(), name + " " + tally);
          if (reset) {
            assertEquals(tally.current(), tally.peak(), name);
          } else {
            assertTrue(tally.peak() >= last.get(i).tally().peak(), name + " fell");
          }
        }
        last = now;
      }
    }
  }

  private record Named(String name, Tally tally) {}

  private static List<Named> tallies(AllocatorStatistics statistics) {
    return List.of(
        new Named("requested", statistics.requested()),
        new Named("allocated", statistics.allocated()),
        new Named("active", statistics.active()),
        new Named("reserved", statistics.reserved()),
        new Named("allocations", statistics.allocations()));
  }

  @ParameterizedTest(name = "virtual memory {0}")
  @EnumSource(value = VirtualMemoryUse.class, names = "AUTO", mode = EnumSource.Mode.EXCLUDE)
  @DisplayName("4 an allocation of zero bytes moves no counter and calls no driver")
  void zeroBytes(VirtualMemoryUse use) {
    try (Sandbox box = box(use)) {
      AllocatorStatistics before = box.statistics();
      box.backend.getDriverCalls().reset();
      try (Allocation empty = box.allocator.allocate(0, box.stream)) {
        assertEquals(0, empty.getAddress());
        assertEquals(before, box.statistics());
      }
      assertEquals(before, box.statistics());
      assertEquals(Map.of(), box.backend.getDriverCalls().getCounts());
    }
  }

  /**
   * PyTorch waits for all streams at every emptying; here a stream that has passed is not waited
   * for.
   */
  @ParameterizedTest(name = "virtual memory {0}")
  @EnumSource(value = VirtualMemoryUse.class, names = "AUTO", mode = EnumSource.Mode.EXCLUDE)
  @DisplayName("5 emptying the cache waits once for each busy stream, and only gives memory back")
  void emptyCache(VirtualMemoryUse use) {
    try (Sandbox box = box(use)) {
      SimStream idle = box.newStream();
      box.allocate(30 * MIB, idle).close();
      Allocation used = box.allocate(30 * MIB);
      box.allocate(512);
      box.busy(box.stream, used, 50_000_000);
      used.close();
      AllocatorStatistics before = box.statistics();
      box.allocator.emptyCache();
      AllocatorStatistics after = box.statistics();
      assertEquals(before.synchronizations() + 1, after.synchronizations());
      assertEquals(before.driverAllocations(), after.driverAllocations());
      assertTrue(after.driverFrees() > before.driverFrees());
      assertTrue(after.reserved().current() < before.reserved().current());
      assertEquals(before.reserved().peak(), after.reserved().peak());
      box.allocator.emptyCache();
      assertEquals(after, box.statistics());
    }
  }

  @ParameterizedTest(name = "virtual memory {0}")
  @EnumSource(value = VirtualMemoryUse.class, names = "AUTO", mode = EnumSource.Mode.EXCLUDE)
  @DisplayName(
      "5 emptying the cache waits for closed blocks that other streams use, and gives them")
  void emptyCacheWaitsForUses(VirtualMemoryUse use) {
    try (Sandbox box = box(use)) {
      SimStream side = box.newStream();
      Allocation freed = box.allocate(30 * MIB);
      box.busy(side, freed, 50_000_000);
      freed.recordUse(side);
      freed.close();
      box.allocator.trim(30 * MIB);
      assertEquals(0, box.statistics().synchronizations(), "nothing had to go");
      box.allocator.emptyCache();
      assertEquals(0, box.statistics().reserved().current());
      assertEquals(1, box.statistics().synchronizations());
      assertTrue(box.backend.getTimeNanos() >= 50_000_000, "did not wait");
    }
  }

  @ParameterizedTest(name = "virtual memory {0}")
  @EnumSource(value = VirtualMemoryUse.class, names = "AUTO", mode = EnumSource.Mode.EXCLUDE)
  @DisplayName("6 the snapshot and the counters say the same after each of a hundred steps")
  void snapshotAgainstCounters(VirtualMemoryUse use) {
    long seed = 6;
    Random random = new Random(seed);
    List<Long> sizes = new ArrayList<>(List.of(4L, 800L, 480 * MIB));
    for (long i = 5; i < 22; i++) {
      sizes.add(i * 4 * i * 4);
      sizes.add(i * 7 * i * 9 * i * 11 * 4);
    }
    try (Sandbox box = box(use)) {
      List<Allocation> live = new ArrayList<>();
      for (int step = 0; step < 100; step++) {
        if (!sizes.isEmpty() && (live.isEmpty() || random.nextInt(3) < 2)) {
          live.add(box.allocate(sizes.remove(random.nextInt(sizes.size()))));
        } else if (!live.isEmpty()) {
          live.remove(random.nextInt(live.size())).close();
        }
        Snapshots.assertAgree(box.allocator, "seed " + seed + ", step " + step);
      }
    }
  }

  @ParameterizedTest(name = "virtual memory {0}")
  @EnumSource(value = VirtualMemoryUse.class, names = "AUTO", mode = EnumSource.Mode.EXCLUDE)
  @DisplayName("7 the counters of two devices see only their own allocations")
  void twoDevices(VirtualMemoryUse use) {
    long seed = 7;
    Random random = new Random(seed);
    try (SimBackend backend =
        SimBackend.builder()
            .device(DeviceProfile.SMALL_8GIB)
            .device(DeviceProfile.SMALL_8GIB)
            .build()) {
      CachingAllocator[] allocators = new CachingAllocator[2];
      SimStream[] streams = new SimStream[2];
      List<List<Allocation>> live = List.of(new ArrayList<>(), new ArrayList<>());
      for (int i = 0; i < 2; i++) {
        allocators[i] = CachingAllocator.builder(backend.getDevice(i)).virtualMemory(use).build();
        streams[i] = backend.getDevice(i).createStream();
      }
      long[] requested = new long[2];
      for (int step = 0; step < 500; step++) {
        int i = random.nextInt(2);
        if (live.get(i).isEmpty() || random.nextBoolean()) {
          long bytes = 1L + random.nextInt(3 << 20);
          live.get(i).add(allocators[i].allocate(bytes, streams[i]));
          requested[i] += bytes;
        } else {
          Allocation freed = live.get(i).remove(random.nextInt(live.get(i).size()));
          requested[i] -= freed.getSize();
          freed.close();
        }
        for (int j = 0; j < 2; j++) {
          AllocatorStatistics statistics = allocators[j].getStatistics();
          assertEquals(requested[j], statistics.requested().current(), "seed " + seed);
          assertEquals(live.get(j).size(), statistics.allocations().current(), "seed " + seed);
        }
      }
      for (int i = 0; i < 2; i++) {
        live.get(i).forEach(Allocation::close);
        allocators[i].close();
        streams[i].close();
      }
      assertEquals(List.of(), backend.getHazards());
      assertEquals(List.of(), backend.getLeaks());
    }
  }

  @ParameterizedTest(name = "virtual memory {0}")
  @EnumSource(value = VirtualMemoryUse.class, names = "AUTO", mode = EnumSource.Mode.EXCLUDE)
  @DisplayName("8 what bypasses the cache is not in its books, and 1 MiB moves them by 1048576")
  void cachingDisabled(VirtualMemoryUse use) {
    try (Sandbox box = box(use);
        Allocator bypass = DirectAllocator.builder(box.device).build()) {
      try (Allocation beside = bypass.allocate(MIB, box.stream)) {
        assertEquals(MIB, beside.getSize());
        assertEquals(0, box.statistics().requested().current());
      }
      box.allocate(MIB);
      assertEquals(1_048_576, box.statistics().requested().current());
    }
  }

  @ParameterizedTest(name = "virtual memory {0}")
  @EnumSource(value = VirtualMemoryUse.class, names = "AUTO", mode = EnumSource.Mode.EXCLUDE)
  @DisplayName("9 ten thousand random steps leave the contents of every live block alone")
  void contents(VirtualMemoryUse use) {
    long seed = 123;
    Random random = new Random(seed);
    record Filled(Allocation block, byte id) {}
    try (Sandbox box = box(use, builder -> builder.limit(160 * MIB))) {
      List<Filled> live = new ArrayList<>();
      long bytes = 0;
      byte id = 0;
      for (int step = 0; step < 10_000; step++) {
        int action = random.nextInt(21);
        long size = 2 * MIB + random.nextInt(18 << 20);
        if (action < 10 && bytes + size <= 102 * MIB) {
          Allocation block = box.allocator.allocate(size, box.stream);
          box.stream.fill(block.getAddress(), ++id, size);
          live.add(new Filled(block, id));
          bytes += size;
        } else if (action < 20 && !live.isEmpty()) {
          Filled filled = live.remove(random.nextInt(live.size()));
          assertHolds(box, filled.block(), filled.id(), "seed " + seed + ", step " + step);
          bytes -= filled.block().getSize();
          filled.block().close();
        } else if (action == 20) {
          box.allocator.emptyCache();
        }
      }
      for (Filled filled : live) {
        assertHolds(box, filled.block(), filled.id(), "seed " + seed + ", at the end");
        filled.block().close();
      }
    }
  }

  /**
   * Looks at both ends and the middle of a block: every page edge that could have been remapped.
   */
  private static void assertHolds(Sandbox box, Allocation block, byte id, String where) {
    ByteBuffer three = ByteBuffer.allocate(3);
    long[] places = {0, block.getSize() / 2, block.getSize() - 1};
    for (int i = 0; i < places.length; i++) {
      box.stream.copyToHost(three.slice(i, 1), block.getAddress() + places[i]);
    }
    for (int i = 0; i < places.length; i++) {
      assertEquals(id, three.get(i), where + ", byte " + places[i]);
    }
  }

  @ParameterizedTest(name = "virtual memory {0}")
  @EnumSource(value = VirtualMemoryUse.class, names = "AUTO", mode = EnumSource.Mode.EXCLUDE)
  @DisplayName("10 500 MiB are taken from the driver once, and given back once when emptying")
  void driverSeesOnePair(VirtualMemoryUse use) {
    try (Sandbox box = box(use)) {
      box.allocate(500 * MIB).close();
      AllocatorStatistics taken = box.statistics();
      long pieces = use == VirtualMemoryUse.OFF ? 1 : 250;
      assertEquals(pieces, taken.driverAllocations());
      assertEquals(0, taken.driverFrees());
      box.allocator.emptyCache();
      assertEquals(pieces, box.statistics().driverAllocations());
      assertEquals(pieces, box.statistics().driverFrees());
      assertEquals(0, box.statistics().reserved().current());
    }
  }
}
