package org.vramkit.pool.caching.size;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.pool.caching.Sandbox.MIB;

import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.vramkit.api.allocator.AllocatorOutOfMemoryException;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.caching.AdviceText;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.CachingAllocatorBuilder;
import org.vramkit.pool.caching.Sandbox;
import org.vramkit.pool.caching.VirtualMemoryUse;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;

@DisplayName("17.26 Memory that is there at first")
class InitialMemoryTest {

  @Test
  @DisplayName("17.26 serves requests of any sizes and streams, and no figure counts it as used")
  void serves() {
    try (Sandbox box = Sandbox.on(VirtualMemoryUse.ON, b -> b.set("initial", "1GiB"))) {
      AllocatorStatistics before = box.statistics();
      assertEquals(ByteSize.GIB, before.reserved().current());
      assertEquals(0, before.allocated().peak());
      assertEquals(0, before.allocations().added());
      box.allocate(700 * MIB);
      box.allocate(1000, box.newStream());
      box.allocate(300 * MIB, box.newStream());
      assertEquals(before.driverAllocations(), box.statistics().driverAllocations());
      box.allocate(64 * MIB);
      assertTrue(box.statistics().reserved().current() > ByteSize.GIB);
    }
  }

  @ParameterizedTest(name = "move-time={0}")
  @ValueSource(doubles = {0, 0.005, 1})
  @DisplayName("17.26 serves small requests and large ones whatever may be spent on moving")
  void servesBothKinds(double moveTime) {
    try (Sandbox box =
        Sandbox.on(VirtualMemoryUse.ON, b -> b.initial(ByteSize.GIB).moveTime(moveTime))) {
      long before = box.statistics().driverAllocations();
      for (int i = 0; i < 16; i++) {
        box.allocate(1000);
        box.allocate(MIB - i * 512L);
        box.allocate(60 * MIB);
      }
      assertEquals(ByteSize.GIB, box.statistics().reserved().current());
      assertEquals(before, box.statistics().driverAllocations());
    }
  }

  @Test
  @DisplayName("17.26 goes back by a trim")
  void goesBack() {
    try (Sandbox box = Sandbox.on(VirtualMemoryUse.ON, b -> b.initial(ByteSize.GIB))) {
      box.allocator.trim(0);
      assertEquals(0, box.statistics().reserved().current());
    }
  }

  @Test
  @DisplayName("17.26 is refused where the device or the limit has too little, and nothing is left")
  void refused() {
    try (Sandbox box = Sandbox.standard()) {
      long free = box.device.getMemoryInfo().freeBytes();
      for (long bytes : new long[] {2 * ByteSize.GIB, 9 * ByteSize.GIB}) {
        CachingAllocatorBuilder builder =
            CachingAllocator.builder(box.device).limit(bytes - 1).initial(bytes);
        assertThrows(AllocatorOutOfMemoryException.class, builder::build);
      }
      for (long bytes : new long[] {9 * ByteSize.GIB, 1L << 60}) {
        CachingAllocatorBuilder unlimited = CachingAllocator.builder(box.device).initial(bytes);
        assertThrows(AllocatorOutOfMemoryException.class, unlimited::build);
      }
      assertEquals(free, box.device.getMemoryInfo().freeBytes());
      for (long bytes : new long[] {-1, (1L << 60) + 1, Long.MAX_VALUE}) {
        CachingAllocatorBuilder builder = CachingAllocator.builder(box.device);
        assertThrows(InvalidArgumentException.class, () -> builder.initial(bytes));
      }
      CachingAllocatorBuilder segments =
          CachingAllocator.builder(box.device).virtualMemory(VirtualMemoryUse.OFF).initial(1);
      assertThrows(InvalidArgumentException.class, segments::build);
    }
  }

  @Test
  @DisplayName("17.9 is refused at once where it cannot fit: the driver is asked for nothing")
  void hopeless() {
    try (Sandbox box = Sandbox.standard()) {
      CachingAllocatorBuilder builder =
          CachingAllocator.builder(box.device).initial(9 * ByteSize.GIB);
      box.backend.getDriverCalls().reset();
      assertThrows(AllocatorOutOfMemoryException.class, builder::build);
      // The report tells what the device has.
      assertEquals(Map.of("cuMemGetInfo", 1L), box.backend.getDriverCalls().getCounts());
    }
  }

  @Test
  @DisplayName("17.26 advice suffices, and 1 MiB less does not, in 500 random cases")
  void advice() {
    long seed = Long.getLong("vramkit.seed", System.nanoTime());
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < 500; i++) {
      try (SimBackend backend =
          SimBackend.builder().device(DeviceProfile.SMALL_8GIB).bytes(false).build()) {
        SimDevice device = backend.getDevice(0);
        long free = 4 * MIB + random.nextLong(4 * ByteSize.GIB);
        device.occupy(device.getMemoryInfo().freeBytes() - free);
        long limit = random.nextBoolean() ? Long.MAX_VALUE : 4 * MIB + random.nextLong(free);
        long bytes = Math.min(limit, free) + random.nextLong(2 * ByteSize.GIB) + 2 * MIB;
        follow(device, limit, bytes, "seed " + seed + ", case " + i);
      }
    }
  }

  private static void follow(SimDevice device, long limit, long bytes, String name) {
    String advice = adviceOf(device, limit, bytes);
    List<String> ways = AdviceText.alternatives(advice);
    long most = AdviceText.sizeOf(ways, "ask for at most ");
    assertEquals("", adviceOf(device, limit, most), name + ": " + advice);
    assertNotEquals("", adviceOf(device, limit, most + MIB), name + ": " + advice);
    long raise = AdviceText.sizeOf(ways, "raise the limit by ");
    long foreign = AdviceText.sizeOf(ways, "free ");
    assertTrue(raise > 0 || foreign > 0 || advice.contains(", and free "), name + ": " + advice);
    if (raise > 0) {
      assertEquals("", adviceOf(device, limit + raise, bytes), name + ": " + advice);
      assertNotEquals("", adviceOf(device, limit + raise - MIB, bytes), name + ": " + advice);
    } else if (foreign > 0) {
      device.vacate(foreign - MIB);
      assertNotEquals("", adviceOf(device, limit, bytes), name + ": " + advice);
      device.vacate(MIB);
      assertEquals("", adviceOf(device, limit, bytes), name + ": " + advice);
    }
  }

  /** Returns the advice of a refused build; empty if it is not refused. */
  private static String adviceOf(SimDevice device, long limit, long bytes) {
    CachingAllocatorBuilder builder =
        CachingAllocator.builder(device).limit(limit).initial(Math.max(1, bytes));
    try (CachingAllocator built = builder.build()) {
      assertTrue(built.getStatistics().reserved().current() >= bytes);
      return "";
    } catch (AllocatorOutOfMemoryException e) {
      return e.getReport().advice();
    }
  }
}
