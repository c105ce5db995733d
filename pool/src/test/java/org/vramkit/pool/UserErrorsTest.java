package org.vramkit.pool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.api.allocator.ElementType;
import org.vramkit.api.device.Device;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.buffer.BufferPool;
import org.vramkit.pool.decorator.GuardedAllocator;
import org.vramkit.pool.decorator.LimitingAllocator;
import org.vramkit.pool.decorator.RetryingAllocator;
import org.vramkit.pool.decorator.StatisticsScope;
import org.vramkit.pool.decorator.TraceRecorder;
import org.vramkit.pool.decorator.TrackingAllocator;
import org.vramkit.pool.workspace.WorkspacePool;

@DisplayName("An error that a user's code throws inside of a pool's call")
class UserErrorsTest {
  private static final long UNIT = ByteSize.MIB;

  /** A method of an allocation of the user's own class. */
  private enum Method {
    GET_ADDRESS,
    GET_SIZE,
    GET_STREAM,
    IS_CLOSED,
    CLOSE
  }

  /** Throws in place of some allocations, or in a method of its own allocations. */
  private static final class Failing implements Allocator {
    private final Allocator upstream;
    volatile @Nullable Error error;
    volatile @Nullable Method method;
    volatile @Nullable Throwable thrown;
    volatile int everyNth;
    private int calls;

    Failing(Allocator upstream) {
      this.upstream = upstream;
    }

    private synchronized boolean fails() {
      return everyNth > 0 && ++calls % everyNth == 0;
    }

    @Override
    public Allocation allocate(long bytes, org.vramkit.api.device.Stream stream) {
      Error thrown = error;
      if (thrown != null) {
        throw thrown;
      }
      if (fails()) {
        throw new OutOfMemoryError("as planned");
      }
      return new Own(this, upstream.allocate(bytes, stream));
    }

    void begin(Method called) {
      if (method == called) {
        if (thrown instanceof Error planned) {
          throw planned;
        }
        if (thrown instanceof RuntimeException planned) {
          throw planned;
        }
      }
    }

    @Override
    public Device getDevice() {
      return upstream.getDevice();
    }

    @Override
    public void trim(long keepBytes) {
      upstream.trim(keepBytes);
    }

    @Override
    public AllocatorStatistics getStatistics() {
      return upstream.getStatistics();
    }

    @Override
    public void resetPeaks() {}

    @Override
    public void close() {}
  }

  /** An allocation of the user's own class. */
  private record Own(Failing owner, Allocation held) implements Allocation {
    @Override
    public long getAddress() {
      owner.begin(Method.GET_ADDRESS);
      return held.getAddress();
    }

    @Override
    public long getSize() {
      owner.begin(Method.GET_SIZE);
      return held.getSize();
    }

    @Override
    public org.vramkit.api.device.Stream getStream() {
      owner.begin(Method.GET_STREAM);
      return held.getStream();
    }

    @Override
    public boolean isClosed() {
      owner.begin(Method.IS_CLOSED);
      return held.isClosed();
    }

    @Override
    public void recordUse(org.vramkit.api.device.Stream stream) {
      held.recordUse(stream);
    }

    @Override
    public void close() {
      held.close();
      owner.begin(Method.CLOSE);
    }
  }

  /** A pool over an allocator, and ways to take something of one unit and to give all back. */
  private record Over(AutoCloseable pool, Callable<AutoCloseable> take, Runnable empty) {}

  private static Over decorator(Allocator allocator, PoolScene scene) {
    return new Over(allocator, () -> allocator.allocate(UNIT, scene.s1), () -> {});
  }

  static Stream<Arguments> pools() {
    return Stream.of(
        of(
            "limit",
            (failing, scene) -> decorator(LimitingAllocator.over(failing, 8 * UNIT), scene)),
        of(
            "retry",
            (failing, scene) -> decorator(RetryingAllocator.over(failing, n -> false), scene)),
        of("statistics", (failing, scene) -> decorator(StatisticsScope.over(failing), scene)),
        of("tracking", (failing, scene) -> decorator(TrackingAllocator.over(failing), scene)),
        of(
            "trace",
            (failing, scene) -> decorator(TraceRecorder.over(failing, new StringWriter()), scene)),
        of("guards", (failing, scene) -> decorator(GuardedAllocator.over(failing, 256), scene)),
        of(
            "buffers",
            (failing, scene) -> {
              BufferPool pool = BufferPool.create(failing);
              return new Over(
                  pool, () -> pool.acquire(ElementType.INT8, UNIT, scene.s1), pool::emptyCache);
            }),
        of(
            "workspaces",
            (failing, scene) -> {
              WorkspacePool pool = WorkspacePool.create(failing);
              return new Over(pool, () -> pool.acquire(UNIT, scene.s1), () -> pool.trim(0));
            }));
  }

  private interface Maker {
    Over make(Failing failing, PoolScene scene);
  }

  private static Arguments of(String name, Maker maker) {
    return Arguments.of(name, maker);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("pools")
  @DisplayName("42.23 beneath it is thrown as it is, and breaks nothing")
  void beneath(String name, Maker maker) throws Exception {
    try (PoolScene scene = new PoolScene(AllocatorKind.NATIVE)) {
      Failing failing = new Failing(scene.allocator);
      for (Error error :
          List.of(new AssertionError("planned"), new StackOverflowError("planned"))) {
        Over over = maker.make(failing, scene);
        failing.error = error;
        assertSame(error, assertThrows(Error.class, () -> over.take.call().close()));
        failing.error = null;
        over.take.call().close();
        over.pool.close();
      }
    }
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("pools")
  @DisplayName(
      "42.23 of an allocation of the user's own class is thrown as it is, and loses nothing")
  void ownAllocations(String name, Maker maker) throws Exception {
    for (Method method : Method.values()) {
      for (Throwable thrown :
          List.of(new AssertionError("planned"), new IllegalStateException("planned"))) {
        try (PoolScene scene = new PoolScene(AllocatorKind.NATIVE)) {
          Failing failing = new Failing(scene.allocator);
          Over over = maker.make(failing, scene);
          failing.thrown = thrown;
          failing.method = method;
          assertThrowsAtMost(thrown, () -> over.take.call().close());
          failing.method = null;
          AutoCloseable taken = over.take.call();
          failing.method = method;
          assertThrowsAtMost(thrown, taken::close);
          assertThrowsAtMost(thrown, over.empty::run);
          failing.method = null;
          over.take.call().close();
          if (over.pool instanceof LimitingAllocator limiting) {
            assertEquals(0, limiting.getUsedBytes(), method::toString);
          }
          over.pool.close();
          assertEquals(
              0, scene.allocator.getStatistics().allocations().current(), method::toString);
        }
      }
    }
  }

  private static void assertThrowsAtMost(Throwable expected, Executable call) {
    try {
      call.execute();
    } catch (Throwable e) {
      assertSame(expected, e);
    }
  }

  @Test
  @DisplayName("42.23 of a handler is thrown as it is, and breaks nothing")
  void handler() {
    try (PoolScene scene = new PoolScene(AllocatorKind.NATIVE)) {
      AssertionError error = new AssertionError("planned");
      RetryingAllocator retrying =
          scene.closing(
              RetryingAllocator.over(
                  scene.allocator,
                  attempt -> {
                    throw error;
                  }));
      assertSame(
          error,
          assertThrows(
              AssertionError.class, () -> retrying.allocate(100 * ByteSize.GIB, scene.s1)));
      retrying.allocate(UNIT, scene.s1).close();
    }
  }

  @Test
  @DisplayName("42.23 beneath a limit leaves the limit exact under eight threads")
  void limit() throws Exception {
    try (PoolScene scene = new PoolScene(AllocatorKind.NATIVE)) {
      Failing failing = new Failing(scene.allocator);
      failing.everyNth = 3;
      StatisticsScope counting = StatisticsScope.over(failing);
      LimitingAllocator limiting = LimitingAllocator.over(counting, 4 * UNIT);
      ExecutorService threads = Executors.newFixedThreadPool(8);
      List<Future<?>> work = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        work.add(threads.submit(() -> takeSome(limiting, scene)));
      }
      for (Future<?> each : work) {
        each.get();
      }
      threads.shutdown();
      assertEquals(0, limiting.getUsedBytes());
      assertEquals(0, counting.getBytes().current());
      assertEquals(counting.getAllocations().added(), counting.getAllocations().removed());
      assertTrue(counting.getBytes().peak() <= 4 * UNIT, "the limit");
      limiting.close();
      counting.close();
    }
  }

  private static void takeSome(Allocator allocator, PoolScene scene) {
    for (int i = 0; i < 300; i++) {
      try {
        allocator.allocate(UNIT, scene.s1).close();
      } catch (DeviceOutOfMemoryException | OutOfMemoryError planned) {
        // The limit, or the allocator beneath.
      }
    }
  }
}
