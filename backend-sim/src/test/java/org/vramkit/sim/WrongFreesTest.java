package org.vramkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.sim.Scene.SIZE;
import static org.vramkit.sim.hazard.HazardCode.DOUBLE_FREE;
import static org.vramkit.sim.hazard.HazardCode.INVALID_FREE;
import static org.vramkit.sim.hazard.HazardCode.STALE_HANDLE;
import static org.vramkit.sim.hazard.HazardCode.USE_AFTER_FREE;

import java.util.Locale;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.vramkit.api.device.DriverPool;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.device.StreamOrderedMemory;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.sim.driver.CostModel;
import org.vramkit.sim.hazard.Access;
import org.vramkit.sim.hazard.CheckerOptions;
import org.vramkit.sim.hazard.HazardReport;

@DisplayName("Frees of what is not to be freed")
class WrongFreesTest {

  private interface Freeing {
    void free(Scene scene, long address);
  }

  /** A way to free by name. */
  private record Way(String name, Freeing freeing) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Way> ways() {
    return Stream.of(
        new Way("plain", (s, address) -> s.device.getMemory().free(address)),
        new Way(
            "in stream order",
            (s, address) -> s.device.getStreamOrderedMemory().free(address, s.s1)),
        new Way(
            "through a driver pool",
            (s, address) -> {
              try (DriverPool pool = s.device.getDriverPools().create(0)) {
                pool.free(address, s.s1);
              }
            }));
  }

  private static HazardReport refused(Scene scene, Way way, long address) {
    assertThrows(InvalidArgumentException.class, () -> way.freeing().free(scene, address));
    return scene.expect(INVALID_FREE).get(0);
  }

  private static void assertMissing(String words, HazardReport report) {
    assertTrue(report.missing().contains(words), report.toString());
  }

  @ParameterizedTest
  @MethodSource("ways")
  @DisplayName(
      "16 an interior pointer: the allocation that contains it is named, and how far inside")
  void interior(Way way) {
    try (Scene scene = new Scene()) {
      HazardReport report = refused(scene, way, scene.block + 512);
      assertEquals(scene.block, Objects.requireNonNull(report.memory()).address());
      assertMissing("512 B inside", report);
      scene.write(scene.s1);
      scene.expect(INVALID_FREE);
    }
  }

  @ParameterizedTest
  @MethodSource("ways")
  @DisplayName("16 a pointer of another device is freed there, as memory belongs to the process")
  void foreign(Way way) {
    try (Scene scene = new Scene()) {
      long free = scene.other.getMemoryInfo().freeBytes();
      way.freeing().free(scene, scene.other.getMemory().allocate(SIZE));
      scene.s1.synchronize();
      assertEquals(free, scene.other.getMemoryInfo().freeBytes());
      scene.expect();
    }
  }

  @ParameterizedTest
  @MethodSource("ways")
  @DisplayName("16 a pointer into pinned host memory: the buffer is named")
  void pinned(Way way) {
    try (Scene scene = new Scene();
        PinnedBuffer buffer = scene.device.getPinnedMemory().allocate(SIZE)) {
      HazardReport report = refused(scene, way, buffer.getAddress() + 16);
      assertEquals(buffer.getAddress(), Objects.requireNonNull(report.memory()).address());
      assertMissing("pinned host buffer", report);
    }
  }

  @ParameterizedTest
  @MethodSource("ways")
  @DisplayName("16 a pointer that was never allocated")
  void nobody(Way way) {
    try (Scene scene = new Scene()) {
      refused(scene, way, 0x1234);
    }
  }

  @ParameterizedTest
  @MethodSource("ways")
  @DisplayName("16 reserved addresses")
  void reserved(Way way) {
    try (Scene scene = new Scene()) {
      long page = scene.device.getVirtualMemory().getGranularity();
      HazardReport report = refused(scene, way, scene.device.getVirtualMemory().reserve(page));
      assertMissing("reservation", report);
    }
  }

  @Test
  @DisplayName("16 a pool's block given back by an address inside it")
  void interiorOfBlock() {
    try (Scene scene = new Scene()) {
      scene.handOut(scene.block, SIZE, scene.s1);
      scene.takeBack(scene.block + 512, scene.s1);
      scene.expect(INVALID_FREE);
    }
  }

  @Test
  @DisplayName("16, twin: everything freed by its own address")
  void rightFrees() {
    try (Scene scene = new Scene();
        DriverPool pool = scene.device.getDriverPools().create(0)) {
      pool.free(pool.allocate(SIZE, scene.s1), scene.s1);
      StreamOrderedMemory memory = scene.device.getStreamOrderedMemory();
      memory.free(memory.allocate(SIZE, scene.s1), scene.s1);
      long foreign = scene.other.getMemory().allocate(SIZE);
      scene.other.getMemory().free(foreign);
      scene.device.getMemory().free(scene.block);
      scene.expect();
    }
  }

  @Test
  @DisplayName("15 a second free of memory with a new owner: the new owner keeps it")
  void stalePlain() {
    try (Scene scene = new Scene()) {
      scene.device.getMemory().free(scene.block);
      long next = scene.device.getMemory().allocate(SIZE);
      assertNotEquals(scene.block, next, "an address that was freed means nothing for a long time");
      assertThrows(
          InvalidArgumentException.class, () -> scene.device.getMemory().free(scene.block));
      assertMissing(hex(next), scene.expect(STALE_HANDLE).get(0));
      scene.write(scene.s1, next, SIZE);
      scene.s1.synchronize();
      scene.device.getMemory().free(next);
      scene.expect(STALE_HANDLE);
    }
  }

  @Test
  @DisplayName("15 the same for a chunk that a driver pool has handed out again")
  void stalePooled() {
    try (Scene scene = new Scene()) {
      StreamOrderedMemory memory = scene.device.getStreamOrderedMemory();
      long first = memory.allocate(SIZE, scene.s1);
      memory.free(first, scene.s1);
      long next = memory.allocate(SIZE, scene.s1);
      assertThrows(InvalidArgumentException.class, () -> memory.free(first, scene.s1));
      assertMissing(hex(next), scene.expect(STALE_HANDLE).get(0));
      scene.backend.clearHazards();
      scene.read(scene.s1, first, SIZE);
      assertMissing(hex(next), scene.expect(USE_AFTER_FREE).get(0));
      scene.backend.clearHazards();
      memory.free(next, scene.s1);
      assertThrows(InvalidArgumentException.class, () -> memory.free(first, scene.s1));
      scene.expect(DOUBLE_FREE);
    }
  }

  @Test
  @DisplayName("15 work on freed memory names who has the memory now")
  void staleUse() {
    try (Scene scene = new Scene()) {
      scene.device.getMemory().free(scene.block);
      long next = scene.device.getMemory().allocate(SIZE);
      scene.write(scene.s1);
      assertMissing(hex(next), scene.expect(USE_AFTER_FREE).get(0));
    }
  }

  @Test
  @DisplayName("15, twin: chunks that go back and forth between owners")
  void recycled() {
    try (Scene scene = new Scene()) {
      StreamOrderedMemory memory = scene.device.getStreamOrderedMemory();
      for (int i = 0; i < 100; i++) {
        long address = memory.allocate(SIZE, scene.s1);
        scene.write(scene.s1, address, SIZE);
        memory.free(address, scene.s1);
        long plain = scene.device.getMemory().allocate(SIZE);
        scene.write(scene.s2, plain, SIZE);
        scene.s2.synchronize();
        scene.device.getMemory().free(plain);
      }
      scene.expect();
    }
  }

  @Test
  @DisplayName("15 both frees carry their stacks")
  void bothStacks() {
    try (SimBackend gpu =
        SimBackend.builder()
            .device(DeviceProfile.SMALL_8GIB)
            .costModel(CostModel.FREE)
            .checker(CheckerOptions.DEFAULT.withStacks(true))
            .build()) {
      long address = gpu.getDevice(0).getMemory().allocate(SIZE);
      gpu.getDevice(0).getMemory().free(address);
      assertThrows(
          InvalidArgumentException.class, () -> gpu.getDevice(0).getMemory().free(address));
      HazardReport report = gpu.getHazards().get(0);
      Access first = report.earlier();
      assertNotNull(first);
      assertTrue(!first.stack().isEmpty() && !report.later().stack().isEmpty());
    }
  }

  private static String hex(long address) {
    return String.format(Locale.ROOT, "at 0x%x", address);
  }
}
