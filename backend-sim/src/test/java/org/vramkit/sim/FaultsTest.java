package org.vramkit.sim;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.device.VirtualMemory;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.FatalDeviceException;
import org.vramkit.api.error.GpuException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.sim.driver.Fault;

@DisplayName("Faults on demand")
class FaultsTest {

  /** A call of the driver by name, and a program that makes it. */
  private record Case(String function, Action action) {
    @Override
    public String toString() {
      return function;
    }
  }

  private interface Action {
    void run(Scene scene);
  }

  static Stream<Case> cases() {
    return Stream.of(
        new Case("cuMemAlloc", s -> s.device.getMemory().allocate(512)),
        new Case("cuMemFree", s -> s.device.getMemory().free(s.block)),
        new Case("cuMemAllocAsync", s -> s.device.getStreamOrderedMemory().allocate(512, s.s1)),
        new Case("cuMemGetInfo", s -> s.device.getMemoryInfo()),
        new Case("cuMemAddressReserve", s -> virtual(s).reserve(page(s))),
        new Case("cuMemCreate", s -> virtual(s).create(page(s))),
        new Case("cuMemPoolCreate", s -> s.device.getDriverPools().create(0)),
        new Case("cuMemAllocHost", s -> s.device.getPinnedMemory().allocate(512)),
        new Case(
            "cuMemHostRegister",
            s -> s.device.getPinnedMemory().register(ByteBuffer.allocateDirect(512))),
        new Case("cuStreamCreate", s -> s.device.createStream()),
        new Case("cuStreamSynchronize", s -> s.s1.synchronize()),
        new Case("cuStreamQuery", s -> s.s1.isIdle()),
        new Case("cuEventCreate", s -> s.device.createEvent()),
        new Case("cuCtxSynchronize", s -> s.device.synchronize()),
        new Case("cuMemsetD8Async", s -> s.s1.fill(s.block, (byte) 1, 512)),
        new Case("cuMemcpyAsync", s -> s.s1.copy(s.block, s.block + 512, 512)),
        new Case("cuLaunchKernel", s -> s.write(s.s1)));
  }

  private static VirtualMemory virtual(Scene scene) {
    return scene.device.getVirtualMemory();
  }

  private static long page(Scene scene) {
    return virtual(scene).getGranularity();
  }

  @ParameterizedTest
  @MethodSource("cases")
  @DisplayName("A failed call says code, name and call, changes nothing, and works the next time")
  void failsOnceAndChangesNothing(Case each) {
    try (Scene scene = new Scene()) {
      long free = scene.device.getMemoryInfo().freeBytes();
      int leaks = scene.backend.getLeaks().size();
      scene.s1.fill(scene.block, (byte) 0, Scene.SIZE);
      scene.s1.synchronize();
      scene.backend.getFaults().failNext(each.function(), Fault.UNKNOWN);
      GpuException failure = assertThrows(GpuException.class, () -> each.action().run(scene));
      assertEquals(999, failure.getStatus().code());
      assertTrue(failure.toString().contains("CUDA_ERROR_UNKNOWN"), failure.toString());
      assertTrue(failure.toString().contains(each.function()), failure.toString());
      assertEquals(leaks, scene.backend.getLeaks().size(), "something was made all the same");
      assertEquals(free, scene.device.getMemoryInfo().freeBytes());
      assertEquals(1, scene.backend.getDriverCalls().getFailures().get(each.function()));
      assertDoesNotThrow(() -> each.action().run(scene));
      scene.expect();
    }
  }

  @Test
  @DisplayName("The nth call, every call, and the call of a number fail as planned")
  void plans() {
    try (Scene scene = new Scene()) {
      scene.backend.getFaults().failNth("cuStreamQuery", 3, Fault.UNKNOWN);
      assertTrue(scene.s1.isIdle());
      assertTrue(scene.s1.isIdle());
      assertThrows(GpuException.class, scene.s1::isIdle);
      assertTrue(scene.s1.isIdle());
      scene.backend.getFaults().failEvery("cuStreamQuery", Fault.UNKNOWN);
      assertThrows(GpuException.class, scene.s1::isIdle);
      assertThrows(GpuException.class, scene.s2::isIdle);
      scene.backend.getFaults().clear();
      assertTrue(scene.s1.isIdle());
      List<?> recent = scene.backend.getDriverCalls().getRecent();
      long last = ((org.vramkit.sim.driver.DriverCall) recent.get(recent.size() - 1)).number();
      scene.backend.getFaults().failCall(last + 2, Fault.UNKNOWN);
      assertTrue(scene.s1.isIdle());
      assertThrows(GpuException.class, scene.s1::isIdle);
      assertEquals(4, scene.backend.getFaults().getInjected());
    }
  }

  @Test
  @DisplayName("Random faults come from the seed")
  void randomFaults() {
    assertEquals(failures(5), failures(5));
    assertTrue(!failures(5).equals(failures(6)), "two seeds, the same faults");
  }

  private static String failures(long seed) {
    try (Scene scene = new Scene(seed)) {
      scene.backend.getFaults().failRandomly("cuStreamQuery", 0.5, Fault.UNKNOWN);
      StringBuilder outcome = new StringBuilder();
      for (int i = 0; i < 64; i++) {
        try {
          outcome.append(scene.s1.isIdle() ? '1' : '0');
        } catch (GpuException e) {
          outcome.append('x');
        }
      }
      return outcome.toString();
    }
  }

  @Test
  @DisplayName("25 a fatal error on one device loses every device of the process, for good")
  void fatal() {
    try (Scene scene = new Scene()) {
      scene.backend.getFaults().failNext("cuStreamSynchronize", Fault.FATAL);
      assertThrows(FatalDeviceException.class, scene.s1::synchronize);
      assertThrows(FatalDeviceException.class, () -> scene.other.getMemory().allocate(512));
      assertThrows(FatalDeviceException.class, scene.s2::isIdle);
      scene.expect();
    }
  }

  @Test
  @DisplayName("Memory ends at the size of the device, to the granularity of the driver")
  void outOfMemory() {
    try (Scene scene = new Scene()) {
      scene.device.getMemory().free(scene.block);
      long free = scene.device.getMemoryInfo().freeBytes();
      long all = scene.device.getMemory().allocate(free);
      assertEquals(0, scene.device.getMemoryInfo().freeBytes());
      DeviceOutOfMemoryException e =
          assertThrows(
              DeviceOutOfMemoryException.class, () -> scene.device.getMemory().allocate(1));
      assertEquals(2, e.getStatus().code());
      scene.device.getMemory().free(all);
      scene.device.getMemory().free(scene.device.getMemory().allocate(free));
    }
  }

  @Test
  @DisplayName("Another process takes memory and gives it back")
  void occupied() {
    try (Scene scene = new Scene()) {
      long free = scene.device.getMemoryInfo().freeBytes();
      assertTrue(scene.device.occupy(free / 2));
      assertEquals(free - free / 2, scene.device.getMemoryInfo().freeBytes());
      assertTrue(!scene.device.occupy(free), "more than there is");
      scene.device.vacate(free / 2);
      assertEquals(free, scene.device.getMemoryInfo().freeBytes());
    }
  }

  @Test
  @DisplayName("A pinned buffer and a stream of a failed program can still be closed")
  void closesAfterFailure() {
    try (Scene scene = new Scene()) {
      try (PinnedBuffer buffer = scene.device.getPinnedMemory().allocate(4096)) {
        scene.backend.getFaults().failNext("cuMemcpyHtoDAsync", Fault.UNKNOWN);
        assertThrows(GpuException.class, () -> scene.s1.copyToDevice(scene.block, buffer, 0, 512));
      }
      scene.s1.close();
      scene.expect();
    }
  }

  @Test
  @DisplayName("Another process takes and gives back no negative memory, and no more than it has")
  void badOccupation() {
    try (Scene scene = new Scene()) {
      assertThrows(InvalidArgumentException.class, () -> scene.device.occupy(-1));
      assertThrows(InvalidArgumentException.class, () -> scene.device.vacate(-1));
      assertTrue(scene.device.occupy(100));
      InvalidArgumentException refusal =
          assertThrows(InvalidArgumentException.class, () -> scene.device.vacate(101));
      assertTrue(refusal.toString().contains("hold 100 bytes of device 0"), refusal.toString());
      scene.device.vacate(100);
    }
  }
}
