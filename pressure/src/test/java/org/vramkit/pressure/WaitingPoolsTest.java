package org.vramkit.pressure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.vramkit.pressure.Scene.MIB;

import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.ElementType;
import org.vramkit.pool.buffer.BufferPool;
import org.vramkit.pool.decorator.LimitingAllocator;
import org.vramkit.pool.direct.DirectAllocator;
import org.vramkit.pool.workspace.WorkspacePool;
import org.vramkit.sim.SimStream;

@DisplayName(
    "45.5 A pool over a waiting allocator gives up what it caches before its request waits")
class WaitingPoolsTest {
  /** What a request that waits would take; a request that is served at once takes no turn. */
  private static final Duration SHORT = Duration.ofMillis(50);

  private static final long LIMIT = 200 * MIB;

  /** What lies beneath the waiting allocator. */
  enum Beneath {
    CACHING,
    LIMITING,
    DIRECT
  }

  private final Scene scene = new Scene(256);
  private final SimStream stream = scene.device.createStream();
  private final Allocator direct = DirectAllocator.builder(scene.device).build();

  @AfterEach
  void nothingIsLost() {
    direct.close();
    stream.close();
    scene.close();
  }

  private WaitingAllocator over(Beneath beneath) {
    scene.allocator.setLimit(LIMIT);
    Allocator upstream =
        switch (beneath) {
          case CACHING -> scene.allocator;
          case LIMITING -> LimitingAllocator.over(scene.allocator, LIMIT);
          case DIRECT -> LimitingAllocator.over(direct, LIMIT);
        };
    return WaitingAllocator.over(upstream, SHORT);
  }

  private static void assertServedAtOnce(WaitingAllocator memory) {
    WaitingStatistics figures = memory.getWaitingStatistics();
    assertEquals(0, figures.served() + figures.failed(), figures::toString);
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("45.5 buffers of another size")
  void buffers(Beneath beneath) {
    try (WaitingAllocator memory = over(beneath);
        BufferPool pool = BufferPool.create(memory)) {
      pool.acquire(ElementType.INT8, 150 * MIB, stream).close();
      pool.acquire(ElementType.INT8, 100 * MIB, stream).close();
      assertServedAtOnce(memory);
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("45.5 workspaces of another class")
  void workspaces(Beneath beneath) {
    try (WaitingAllocator memory = over(beneath);
        WorkspacePool pool = WorkspacePool.create(memory)) {
      pool.acquire(128 * MIB, stream).close();
      stream.synchronize();
      try (Allocation other = memory.allocate(60 * MIB, stream)) {
        pool.acquire(64 * MIB, stream).close();
        assertEquals(60 * MIB, other.getSize());
      }
      assertServedAtOnce(memory);
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("45.5 requests of other users, too")
  void otherUsers(Beneath beneath) {
    try (WaitingAllocator memory = over(beneath);
        BufferPool pool = BufferPool.create(memory)) {
      pool.acquire(ElementType.INT8, 150 * MIB, stream).close();
      memory.allocate(100 * MIB, stream).close();
      assertServedAtOnce(memory);
    }
  }
}
