package org.vramkit.pool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.io.StringWriter;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.ElementType;
import org.vramkit.api.device.Device;
import org.vramkit.api.discovery.Backends;
import org.vramkit.pool.buffer.BufferPool;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.CachingAllocatorBuilder;
import org.vramkit.pool.decorator.LimitingAllocator;
import org.vramkit.pool.decorator.RetryingAllocator;
import org.vramkit.pool.decorator.StatisticsScope;
import org.vramkit.pool.decorator.TraceRecorder;
import org.vramkit.pool.decorator.TrackingAllocator;
import org.vramkit.pool.direct.DirectAllocator;
import org.vramkit.pool.driverpool.DriverPoolAllocator;
import org.vramkit.pool.pinned.PinnedPool;
import org.vramkit.pool.stream.StreamPool;
import org.vramkit.pool.streamordered.StreamOrderedPool;
import org.vramkit.pool.workspace.WorkspacePool;

@DisplayName("Required arguments")
class NullArgumentsTest {

  /** Null where a checker allows none. */
  @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"})
  private static <T> T nothing() {
    return null;
  }

  private static Arguments caching(String parameter, Consumer<CachingAllocatorBuilder> setter) {
    return of(parameter, scene -> setter.accept(CachingAllocator.builder(scene.device)));
  }

  private static Arguments of(String parameter, Consumer<PoolScene> call) {
    return arguments(parameter, call);
  }

  private static Stream<Arguments> calls() {
    return Stream.of(
        caching("use", builder -> builder.virtualMemory(nothing())),
        caching("others", builder -> builder.accessibleFrom((Device[]) nothing())),
        caching("other", builder -> builder.accessibleFrom((Device) nothing())),
        caching("policy", builder -> builder.steal(nothing())),
        caching("idleTime", builder -> builder.decay(nothing())),
        caching("nanos", builder -> builder.clock(nothing())),
        caching("text", builder -> builder.roundingDivisions(nothing())),
        caching("handler", builder -> builder.outOfMemoryHandler(nothing())),
        caching("name", builder -> builder.set(nothing(), "1")),
        caching("value", builder -> builder.set("move-time", nothing())),
        of("device", scene -> CachingAllocator.builder(nothing())),
        of("poolOptions", scene -> CachingAllocator.create(scene.device).createPool(nothing())),
        of("type", scene -> scene.allocator.allocate(5, (ElementType) nothing(), scene.s1)),
        of("type", scene -> scene.allocator.allocateZeroed(5, nothing(), scene.s1)),
        of("name", scene -> Backends.open(nothing())),
        of("type", scene -> BufferPool.create(scene.allocator).tryAcquire(nothing(), 1, scene.s1)),
        of("device", scene -> PinnedPool.builder(nothing())),
        of("device", scene -> DirectAllocator.builder(nothing())),
        of("device", scene -> StreamOrderedPool.builder(nothing())),
        of("time", scene -> StreamOrderedPool.builder(scene.device).decay(nothing())),
        of("device", scene -> DriverPoolAllocator.builder(nothing())),
        of("device", scene -> StreamPool.builder(nothing())),
        of("kind", scene -> StreamPool.builder(scene.device).kind(nothing())),
        of("way", scene -> DriverPoolAllocator.builder(scene.device).reuse(nothing(), true)),
        of(
            "other",
            scene -> DriverPoolAllocator.builder(scene.device).accessibleFrom((Device) nothing())),
        of("upstream", scene -> LimitingAllocator.over(nothing(), 1)),
        of("upstream", scene -> TrackingAllocator.over(nothing())),
        of("upstream", scene -> TrackingAllocator.withStacks(nothing())),
        of("upstream", scene -> StatisticsScope.over(nothing())),
        of("upstream", scene -> RetryingAllocator.over(nothing(), attempt -> false)),
        of("handler", scene -> RetryingAllocator.over(scene.allocator, nothing())),
        of("upstream", scene -> TraceRecorder.over(nothing(), new StringWriter())),
        of("writer", scene -> TraceRecorder.over(scene.allocator, nothing())),
        of("allocator", scene -> WorkspacePool.builder(nothing())),
        of("allocator", scene -> BufferPool.create(nothing())),
        of("allocators", scene -> BufferPool.builder(nothing())),
        of("allocator", scene -> BufferPool.builder(Arrays.asList((Allocator) nothing()))));
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("are named by every allocator, decorator and pool if the stream is missing")
  void missingStream(AllocatorKind kind) {
    try (PoolScene scene = new PoolScene(kind);
        Allocation live = scene.allocator.allocate(64, scene.s1);
        BufferPool buffers = BufferPool.create(scene.allocator);
        WorkspacePool workspaces = WorkspacePool.create(scene.allocator)) {
      org.vramkit.api.device.Stream none = nothing();
      List<Executable> calls =
          List.of(
              () -> scene.allocator.allocate(64, none),
              () -> scene.allocator.allocate(0, none),
              () -> scene.allocator.allocate(4 << 20, none),
              () -> scene.allocator.allocate(16, ElementType.FLOAT32, none),
              () -> scene.allocator.allocateZeroed(16, ElementType.FLOAT32, none),
              () -> scene.allocator.allocateAligned(64, 4096, none),
              () -> StatisticsScope.over(scene.allocator).allocate(64, none),
              () -> TrackingAllocator.over(scene.allocator).allocate(64, none),
              () -> LimitingAllocator.over(scene.allocator, 1 << 20).allocate(64, none),
              () -> live.recordUse(none),
              () -> buffers.acquire(ElementType.FLOAT32, 16, none),
              () -> workspaces.acquire(64, none));
      for (int i = 0; i < calls.size(); i++) {
        NullPointerException e =
            assertThrows(NullPointerException.class, calls.get(i), "call " + i);
        assertEquals("stream must not be null", e.getMessage(), "call " + i);
      }
    }
  }

  @ParameterizedTest(name = "{index} {0}")
  @MethodSource("calls")
  @DisplayName("is asked for by name where it is missing, not when it is first used")
  void missing(String parameter, Consumer<PoolScene> call) {
    try (PoolScene scene = new PoolScene(AllocatorKind.CACHING_ON_PAGES)) {
      NullPointerException e = assertThrows(NullPointerException.class, () -> call.accept(scene));
      assertEquals(parameter, e.getMessage());
    }
  }
}
