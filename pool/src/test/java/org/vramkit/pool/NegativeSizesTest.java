package org.vramkit.pool;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.vramkit.api.allocator.ElementType;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.pool.buffer.BufferPool;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.PrivatePoolOptions;
import org.vramkit.pool.decorator.LimitingAllocator;
import org.vramkit.pool.pinned.PinnedPool;
import org.vramkit.pool.workspace.WorkspacePool;

@DisplayName("17.24 A size that overflowed as an int")
class NegativeSizesTest {
  /** What {@code 1 << 31} and {@code 50000 * 50000} are in Java. */
  private static final int SHIFTED = Integer.MIN_VALUE;

  private static final int MULTIPLIED = -1794967296;

  @ParameterizedTest
  @EnumSource
  @DisplayName("17.24 is refused with the value, the usual cause and its remedy")
  void refused(AllocatorKind kind) {
    try (PoolScene scene = new PoolScene(kind);
        BufferPool buffers = BufferPool.create(scene.allocator);
        WorkspacePool workspaces = WorkspacePool.create(scene.allocator);
        PinnedPool pinned = PinnedPool.create(scene.device);
        CachingAllocator caching = CachingAllocator.create(scene.device)) {
      List<Executable> multiplied =
          List.of(
              () -> scene.allocator.allocate(MULTIPLIED, scene.s1),
              () -> scene.allocator.allocate(MULTIPLIED, ElementType.FLOAT32, scene.s1),
              () -> buffers.acquire(ElementType.FLOAT32, MULTIPLIED, scene.s1),
              () -> workspaces.acquire(MULTIPLIED, scene.s1),
              () -> pinned.acquire(MULTIPLIED));
      List<Executable> shifted =
          List.of(
              () -> CachingAllocator.builder(scene.device).limit(SHIFTED),
              () -> CachingAllocator.builder(scene.device).threadCache(SHIFTED),
              () -> caching.setLimit(SHIFTED),
              () -> PrivatePoolOptions.DEFAULT.withLimit(SHIFTED),
              () -> LimitingAllocator.over(scene.allocator, SHIFTED),
              () -> BufferPool.builder(List.of(scene.allocator)).byteBudget(SHIFTED),
              () -> WorkspacePool.builder(scene.allocator).byteBudget(SHIFTED),
              () -> PinnedPool.builder(scene.device).byteLimit(SHIFTED));
      multiplied.forEach(call -> assertRefused(call, MULTIPLIED));
      shifted.forEach(call -> assertRefused(call, SHIFTED));
    }
  }

  private static void assertRefused(Executable call, int value) {
    String message =
        String.valueOf(assertThrows(InvalidArgumentException.class, call).getMessage());
    assertTrue(message.contains(String.valueOf(value)), message);
    assertTrue(message.contains("an int that overflows is negative"), message);
    assertTrue(message.contains("1L << 31"), message);
  }
}
