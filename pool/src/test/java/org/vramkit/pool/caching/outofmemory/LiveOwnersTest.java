package org.vramkit.pool.caching.outofmemory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.AllocatorOutOfMemoryException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.CachingAllocatorBuilder;
import org.vramkit.pool.caching.LeakDetection;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;

@DisplayName("42.1 An out of memory names the owners of live memory")
class LiveOwnersTest {
  private static final long MIB = ByteSize.MIB;

  private static Allocation weights(CachingAllocator allocator) {
    return allocator.allocate(5 * MIB);
  }

  private static Allocation batch(CachingAllocator allocator) {
    return allocator.allocate(3 * MIB);
  }

  /** Runs out of memory beside weights and, after an action, a batch. */
  private static AllocatorOutOfMemoryException refusal(
      Consumer<CachingAllocatorBuilder> settings, Consumer<CachingAllocator> between) {
    try (SimBackend backend = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build()) {
      CachingAllocatorBuilder builder =
          CachingAllocator.builder(backend.getDevice(0)).limit(16 * MIB);
      settings.accept(builder);
      try (CachingAllocator allocator = builder.build()) {
        Allocation first = weights(allocator);
        between.accept(allocator);
        Allocation second = batch(allocator);
        AllocatorOutOfMemoryException error =
            assertThrows(AllocatorOutOfMemoryException.class, () -> allocator.allocate(16 * MIB));
        first.close();
        second.close();
        assertEquals(0, allocator.getStatistics().getLiveBytes());
        assertEquals(0, allocator.getStatistics().leaks());
        return error;
      }
    }
  }

  private static Map<String, Long> owners(AllocatorOutOfMemoryException error) {
    return error.getReport().requestedByOwner().entrySet().stream()
        .collect(
            Collectors.toMap(
                each -> each.getKey().replaceFirst(".*Test\\.(\\w+)\\(.*", "$1"),
                Map.Entry::getValue));
  }

  @Test
  @DisplayName("not if no stack is known")
  void unknown() {
    AllocatorOutOfMemoryException error = refusal(builder -> builder.history(MIB), allocator -> {});
    assertEquals(Map.of(), error.getReport().requestedByOwner());
    assertFalse(error.toString().contains("owners"), error.toString());
  }

  @Test
  @DisplayName("by the stacks of the leak detection")
  void byLeakDetection() {
    AllocatorOutOfMemoryException error =
        refusal(builder -> builder.leakDetection(LeakDetection.ALL), allocator -> {});
    assertEquals(Map.of("weights", 5 * MIB, "batch", 3 * MIB), owners(error));
  }

  @Test
  @DisplayName("by those of a history, beside the bytes that are older than it")
  void byHistory() {
    AllocatorOutOfMemoryException error =
        refusal(
            builder -> builder.leakDetection(LeakDetection.OFF),
            allocator -> {
              batch(allocator).close();
              allocator.startHistory(MIB, true);
              batch(allocator).close();
            });
    assertEquals(Map.of("no stack", 5 * MIB, "batch", 3 * MIB), owners(error));
    String message = String.valueOf(error.getMessage());
    assertTrue(
        message.contains("; owners: org.vramkit.pool.caching.outofmemory.LiveOwnersTest.batch("),
        message);
    assertTrue(message.contains(") 3.00 MiB, no stack 5.00 MiB; to do: "), message);
  }
}
