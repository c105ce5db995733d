package org.vramkit.pool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.ElementType;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.pool.buffer.BufferPool;
import org.vramkit.pool.buffer.TypedBuffer;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.direct.DirectAllocator;
import org.vramkit.pool.workspace.WorkspacePool;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;

@DisplayName("A stream of device 0 of another backend")
class OtherBackendTest {
  private final SimBackend backend =
      SimBackend.builder()
          .device(DeviceProfile.SMALL_8GIB)
          .device(DeviceProfile.SMALL_8GIB)
          .build();
  private final SimBackend another = SimBackend.builder().build();
  private final Stream foreign = another.getDevice(0).createStream();

  @AfterEach
  void nothingIsLeft() {
    foreign.close();
    for (SimBackend each : List.of(backend, another)) {
      each.close();
      assertEquals(List.of(), each.getHazards());
      assertEquals(List.of(), each.getLeaks());
    }
  }

  private static void assertRefused(Executable call) {
    String message = assertThrows(InvalidArgumentException.class, call).toString();
    assertTrue(message.contains("belongs to device 0 of another backend, 'sim'"), message);
    assertTrue(message.contains("to device 0 of backend 'sim'"), message);
  }

  private void assertRefusedBy(Allocator allocator) {
    try (allocator;
        Allocation allocation = allocator.allocate(1000)) {
      assertRefused(() -> allocator.allocate(1000, foreign));
      assertRefused(() -> allocator.allocate(0, foreign));
      assertRefused(() -> allocation.recordUse(foreign));
    }
  }

  @ParameterizedTest
  @DisplayName("17.22 is refused by every allocator as one of another backend")
  @EnumSource(AllocatorKind.class)
  void allocators(AllocatorKind kind) {
    assertRefusedBy(kind.create(backend.getDevice(0)));
  }

  @Test
  @DisplayName(
      "17.22 is refused by the direct allocator, and by address, as one of another backend")
  void directAndByAddress() {
    assertRefusedBy(DirectAllocator.builder(backend.getDevice(0)).build());
    try (CachingAllocator allocator = CachingAllocator.create(backend.getDevice(0));
        Allocation allocation = allocator.allocate(1000)) {
      assertRefused(() -> allocator.recordUse(allocation.getAddress(), foreign));
    }
  }

  @Test
  @DisplayName("17.22 is refused by workspaces and buffers as one of another backend")
  void pools() {
    try (CachingAllocator allocator = CachingAllocator.create(backend.getDevice(0));
        WorkspacePool workspaces = WorkspacePool.create(allocator);
        BufferPool buffers = BufferPool.create(allocator);
        TypedBuffer buffer =
            buffers.acquire(ElementType.INT8, 9, backend.getDevice(0).getDefaultStream())) {
      assertRefused(() -> workspaces.acquire(1000, foreign));
      assertRefused(() -> buffers.acquire(ElementType.INT8, 9, foreign));
      assertRefused(() -> buffers.acquire(ElementType.INT8, 0, foreign));
      assertRefused(() -> buffer.recordUse(foreign));
    }
  }

  @Test
  @DisplayName("17.22 leaves one of another device of the same backend its own words")
  void anotherDevice() {
    try (CachingAllocator allocator = CachingAllocator.create(backend.getDevice(0));
        Stream stream = backend.getDevice(1).createStream()) {
      String message =
          assertThrows(InvalidArgumentException.class, () -> allocator.allocate(1000, stream))
              .toString();
      assertTrue(message.contains("belongs to device 1, the allocator to device 0"), message);
      assertFalse(message.contains("backend"), message);
    }
  }

  @Test
  @DisplayName("17.22 a buffer pool over the devices 0 of two backends says so")
  void twoBackendsInOnePool() {
    try (CachingAllocator one = CachingAllocator.create(backend.getDevice(0));
        CachingAllocator other = CachingAllocator.create(another.getDevice(0))) {
      String message =
          assertThrows(
                  InvalidArgumentException.class, () -> BufferPool.builder(List.of(one, other)))
              .toString();
      assertTrue(message.contains("two for device 0 of two backends"), message);
    }
  }
}
