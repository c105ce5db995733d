package org.vramkit.pool.support;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.api.allocator.StreamStatistics;
import org.vramkit.api.device.Device;
import org.vramkit.api.error.DriverException;
import org.vramkit.api.error.FatalDeviceException;
import org.vramkit.pool.direct.DirectAllocator;
import org.vramkit.pool.driverpool.DriverPoolAllocator;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.driver.Fault;

@DisplayName("A block that is closed when the driver cannot wait for its stream")
class DeferredFreesTest {
  private static final long BYTES = 5L << 30;

  enum Kind {
    DIRECT,
    DRIVER_POOL;

    Allocator create(Device device) {
      return switch (this) {
        case DIRECT -> DirectAllocator.builder(device).build();
        case DRIVER_POOL -> DriverPoolAllocator.builder(device).build();
      };
    }
  }

  /** An allocator on a simulated device; closing it demands no hazard and no leak. */
  private static final class Scene implements AutoCloseable {
    final SimBackend backend = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build();
    final SimDevice device = backend.getDevice(0);
    final Allocator allocator;

    Scene(Kind kind) {
      allocator = kind.create(device);
    }

    /** Closes a block of a closed stream that still works; the wait for the device fails. */
    void failToFree() {
      SimStream stream = device.createStream();
      Allocation block = allocator.allocate(BYTES, stream);
      stream.launch(
          SimKernel.named("work").writes(block.getAddress(), BYTES).taking(50_000_000).build());
      stream.close();
      backend.getFaults().failNext("cuCtxSynchronize", Fault.UNKNOWN);
      assertThrows(DriverException.class, block::close);
    }

    @Override
    public void close() {
      allocator.close();
      assertEquals(0, allocator.getStatistics().reserved().current());
      assertEquals(List.of(), backend.getHazards(), "hazards");
      assertEquals(List.of(), backend.getLeaks(), "leaks");
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("R7 is free, counts as cached, and goes back with the next trim")
  void trimmed(Kind kind) {
    try (Scene scene = new Scene(kind)) {
      scene.failToFree();
      AllocatorStatistics statistics = scene.allocator.getStatistics();
      assertEquals(0, statistics.allocated().current());
      assertEquals(BYTES, statistics.reserved().current());
      assertEquals(BYTES, statistics.cachedBytes());
      assertEquals(
          BYTES, statistics.streams().stream().mapToLong(StreamStatistics::cachedBytes).sum());
      scene.allocator.trim(0);
      assertEquals(0, scene.allocator.getStatistics().reserved().current());
      assertEquals(0, scene.allocator.getStatistics().cachedBytes());
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("R7 goes back when the memory is needed")
  void needed(Kind kind) {
    try (Scene scene = new Scene(kind)) {
      scene.failToFree();
      try (SimStream other = scene.device.createStream();
          Allocation next = scene.allocator.allocate(BYTES + 1, other)) {
        other.fill(next.getAddress(), (byte) 1, next.getSize());
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("R7 goes back with the allocator, which stays open until that succeeds")
  void closed(Kind kind) {
    try (Scene scene = new Scene(kind)) {
      scene.failToFree();
      scene.backend.getFaults().failNext("cuCtxSynchronize", Fault.UNKNOWN);
      assertThrows(DriverException.class, scene.allocator::close);
    }
  }

  @ParameterizedTest
  @EnumSource(names = "DIRECT")
  @DisplayName("is removed if the device is lost, because its memory no longer exists")
  void lost(Kind kind) {
    Scene scene = new Scene(kind);
    SimStream stream = scene.device.createStream();
    Allocation block = scene.allocator.allocate(BYTES, stream);
    stream.close();
    scene.backend.getFaults().failNext("cuCtxSynchronize", Fault.FATAL);
    assertThrows(FatalDeviceException.class, block::close);
    scene.allocator.close();
    assertEquals(0, scene.allocator.getStatistics().cachedBytes());
  }
}
