package org.vramkit.pool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.device.Device;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.PrivatePool;
import org.vramkit.pool.decorator.GuardedAllocator;
import org.vramkit.pool.decorator.LimitingAllocator;
import org.vramkit.pool.decorator.RetryingAllocator;
import org.vramkit.pool.decorator.StatisticsScope;
import org.vramkit.pool.decorator.TraceRecorder;
import org.vramkit.pool.decorator.TrackingAllocator;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimStream;

@DisplayName("42.26 Aligned memory")
class AlignedAllocationTest {
  /** Everything that stands before an allocator. */
  private static final List<UnaryOperator<Allocator>> DECORATORS =
      List.of(
          UnaryOperator.identity(),
          allocator -> LimitingAllocator.over(allocator, 1L << 30),
          allocator -> GuardedAllocator.over(allocator, 512),
          allocator -> RetryingAllocator.over(allocator, attempt -> false),
          allocator -> StatisticsScope.over(allocator),
          allocator -> TrackingAllocator.over(allocator),
          allocator -> TraceRecorder.over(allocator, new StringWriter()));

  private static void check(Allocator allocator, SimStream stream) {
    List<Allocation> held = new ArrayList<>();
    for (long alignment = 1; alignment <= 2 << 20; alignment *= 2) {
      for (long bytes : new long[] {1, 1000, 3 << 20}) {
        Allocation made = allocator.allocateAligned(bytes, alignment, stream);
        held.add(made);
        assertEquals(0, made.getAddress() % alignment, allocator + " to " + alignment);
        assertEquals(bytes, made.getSize());
        stream.fill(made.getAddress(), (byte) 1, bytes);
      }
    }
    assertEquals(0, allocator.allocateAligned(0, 4096, stream).getAddress());
    for (long alignment : new long[] {-256, 0, 3, 4 << 20, Long.MIN_VALUE}) {
      assertThrows(
          InvalidArgumentException.class, () -> allocator.allocateAligned(9, alignment, stream));
    }
    assertThrows(
        DeviceOutOfMemoryException.class,
        () -> allocator.allocateAligned(Long.MAX_VALUE, 4096, stream));
    held.forEach(Allocation::close);
  }

  @ParameterizedTest
  @MethodSource(EveryAllocator.SOURCE)
  @DisplayName("42.26 comes from every allocator and through every decorator")
  void everyAllocator(Function<Device, Allocator> open) {
    for (UnaryOperator<Allocator> decorator : DECORATORS) {
      try (SimBackend backend = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build()) {
        SimDevice device = backend.getDevice(0);
        try (SimStream stream = device.createStream();
            Allocator beneath = open.apply(device);
            Allocator allocator = decorator.apply(beneath)) {
          check(allocator, stream);
        }
        assertEquals(List.of(), backend.getHazards());
        assertEquals(List.of(), backend.getLeaks());
      }
    }
  }

  @Test
  @DisplayName("42.26 comes from a tagged allocator under its tag, and from a private pool")
  void taggedAndPrivate() {
    try (SimBackend backend = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build();
        SimStream stream = backend.getDevice(0).createStream();
        CachingAllocator allocator = CachingAllocator.create(backend.getDevice(0));
        PrivatePool pool = allocator.createPool()) {
      check(allocator.tagged("weights"), stream);
      check(pool.getAllocator(), stream);
      try (Allocation live = allocator.tagged("weights").allocateAligned(1000, 4096, stream)) {
        assertEquals("weights", allocator.getStatistics().tags().get(0).tag());
        assertEquals(0, live.getAddress() % 4096);
      }
    }
  }
}
