package org.vramkit.pool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.api.units.ByteSize.MIB;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.ElementType;
import org.vramkit.pool.buffer.BufferPool;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.HistoryEvent;
import org.vramkit.pool.caching.PoolScope;
import org.vramkit.pool.caching.PrivatePool;
import org.vramkit.pool.decorator.GuardViolationException;
import org.vramkit.pool.decorator.GuardedAllocator;
import org.vramkit.pool.decorator.LimitingAllocator;
import org.vramkit.pool.decorator.StatisticsScope;
import org.vramkit.pool.decorator.TrackingAllocator;
import org.vramkit.pool.workspace.WorkspacePool;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimStream;

@DisplayName("42.25 Stacks begin with the frame of the user's code")
class FirstFrameTest {
  private final SimBackend backend = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build();
  private final SimStream stream = backend.getDevice(0).createStream();

  @AfterEach
  void nothingIsLeft() {
    stream.close();
    assertEquals(List.of(), backend.getLeaks());
    backend.close();
  }

  /** A way to memory of an allocator, which ends with {@link #user}. */
  private interface Way {
    void take(CachingAllocator allocator, SimStream stream) throws Exception;
  }

  /** The user's code: whatever it calls, its frame is the first. */
  private static void user(Runnable call) {
    call.run();
  }

  private static void decorated(Allocator decorator, SimStream stream) {
    user(() -> decorator.allocate(MIB, stream).close());
    decorator.close();
  }

  private static final Map<String, Way> WAYS = new TreeMap<>();

  static {
    WAYS.put("allocator", (allocator, on) -> user(() -> allocator.allocate(MIB, on).close()));
    WAYS.put("hit", FirstFrameTest::hit);
    WAYS.put(
        "aligned", (allocator, on) -> user(() -> allocator.allocateAligned(MIB, 4096, on).close()));
    WAYS.put(
        "tagged", (allocator, on) -> user(() -> allocator.tagged("t").allocate(MIB, on).close()));
    WAYS.put("default stream", (allocator, on) -> user(() -> allocator.allocate(MIB).close()));
    WAYS.put("private pool", FirstFrameTest::privatePool);
    WAYS.put("scope", FirstFrameTest::scope);
    WAYS.put("buffer", FirstFrameTest::buffer);
    WAYS.put("workspace", FirstFrameTest::workspace);
    WAYS.put(
        "limiting", (allocator, on) -> decorated(LimitingAllocator.over(allocator, 8 * MIB), on));
    WAYS.put("guarded", (allocator, on) -> decorated(GuardedAllocator.over(allocator, 256), on));
    WAYS.put("tracking", (allocator, on) -> decorated(TrackingAllocator.over(allocator), on));
    WAYS.put("scoped figures", (allocator, on) -> decorated(StatisticsScope.over(allocator), on));
    WAYS.put(
        "all decorators",
        (allocator, on) ->
            decorated(
                StatisticsScope.over(
                    TrackingAllocator.over(LimitingAllocator.over(allocator, 8 * MIB))),
                on));
    WAYS.put("buffers over decorators", FirstFrameTest::decoratedBuffer);
    WAYS.put("method reference", FirstFrameTest::methodReference);
    WAYS.put("another thread", FirstFrameTest::otherThread);
  }

  private static void hit(CachingAllocator allocator, SimStream on) {
    user(() -> allocator.allocate(MIB, on).close());
    user(() -> allocator.allocate(MIB, on).close());
  }

  private static void privatePool(CachingAllocator allocator, SimStream on) {
    try (PrivatePool pool = allocator.createPool()) {
      user(() -> pool.getAllocator().allocate(MIB, on).close());
    }
  }

  @SuppressWarnings("try") // The scope is held, not used.
  private static void scope(CachingAllocator allocator, SimStream on) {
    try (PrivatePool pool = allocator.createPool();
        PoolScope scope = pool.use()) {
      user(() -> allocator.allocate(MIB, on).close());
    }
  }

  private static void buffer(CachingAllocator allocator, SimStream on) {
    try (BufferPool pool = BufferPool.create(allocator)) {
      user(() -> pool.acquire(ElementType.FLOAT32, 1000, on).close());
    }
  }

  private static void decoratedBuffer(CachingAllocator allocator, SimStream on) {
    try (TrackingAllocator tracking = TrackingAllocator.over(allocator);
        BufferPool pool = BufferPool.create(tracking)) {
      user(() -> pool.acquire(ElementType.FLOAT32, 1000, on).close());
    }
  }

  private static void workspace(CachingAllocator allocator, SimStream on) {
    try (WorkspacePool pool = WorkspacePool.create(allocator)) {
      user(() -> pool.acquire(1000, on).close());
    }
  }

  private static void methodReference(CachingAllocator allocator, SimStream on) {
    user(
        () -> {
          assertEquals(on, on);
          Optional.of(MIB).map(allocator::allocate).get().close();
        });
  }

  private static void otherThread(CachingAllocator allocator, SimStream on) throws Exception {
    ExecutorService other = Executors.newSingleThreadExecutor();
    try {
      other.submit(() -> user(() -> allocator.allocate(MIB, on).close())).get();
    } finally {
      other.shutdown();
    }
  }

  static Stream<String> ways() {
    return WAYS.keySet().stream();
  }

  private static void requireUsers(List<StackTraceElement> stack) {
    assertEquals(FirstFrameTest.class.getName(), stack.get(0).getClassName(), stack::toString);
  }

  @ParameterizedTest(name = "{0}")
  @DisplayName("in a history, by way of")
  @MethodSource("ways")
  void history(String way) throws Exception {
    try (CachingAllocator allocator =
        CachingAllocator.builder(backend.getDevice(0)).history(MIB).historyStacks(true).build()) {
      WAYS.get(way).take(allocator, stream);
      int allocations = 0;
      for (HistoryEvent each : allocator.getHistory()) {
        if (each.action() == HistoryEvent.Action.ALLOCATE) {
          allocations++;
          requireUsers(each.stack());
        }
      }
      assertTrue(allocations > 0);
    }
  }

  @Test
  @DisplayName("in the list of a tracking allocator, also beneath other decorators and buffers")
  void tracked() {
    try (CachingAllocator allocator = CachingAllocator.create(backend.getDevice(0));
        TrackingAllocator tracking = TrackingAllocator.withStacks(allocator);
        LimitingAllocator limiting = LimitingAllocator.over(tracking, 8 * MIB);
        BufferPool pool = BufferPool.create(limiting)) {
      pool.acquire(ElementType.INT8, 1000, stream).close();
      requireUsers(tracking.getLive().get(0).stack());
    }
  }

  @Test
  @DisplayName("in what a guard says of a write beyond the end, also beneath other decorators")
  void guarded() {
    try (CachingAllocator allocator = CachingAllocator.create(backend.getDevice(0));
        GuardedAllocator guarded = GuardedAllocator.over(allocator, 256);
        LimitingAllocator limiting = LimitingAllocator.over(guarded, 8 * MIB)) {
      Allocation allocation = limiting.allocate(256, stream);
      stream.fill(allocation.getAddress() + 256, (byte) 1, 1);
      String message =
          String.valueOf(
              assertThrows(GuardViolationException.class, allocation::close).getMessage());
      assertTrue(message.contains("allocated at " + FirstFrameTest.class.getName()), message);
    }
  }
}
