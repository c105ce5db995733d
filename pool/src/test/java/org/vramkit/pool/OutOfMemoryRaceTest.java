package org.vramkit.pool;

import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.api.units.ByteSize.GIB;

import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.vramkit.api.allocator.ElementType;
import org.vramkit.pool.buffer.BufferPool;
import org.vramkit.pool.workspace.WorkspacePool;

@DisplayName("Two threads that run out of memory at once")
class OutOfMemoryRaceTest {

  @ParameterizedTest
  @EnumSource
  @DisplayName("S2 both get a typed buffer when the cache of one pool suffices for both")
  void buffers(AllocatorKind kind)
      throws InterruptedException, ExecutionException, TimeoutException {
    try (PoolScene scene = new PoolScene(kind)) {
      RefusingAllocator allocator = new RefusingAllocator(scene.allocator);
      BufferPool pool = scene.closing(BufferPool.create(allocator));
      pool.acquire(ElementType.INT8, 6 * GIB, scene.s1).close();
      bothGet(allocator, () -> pool.acquire(ElementType.INT8, 3 * GIB, scene.s1));
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("S1 both get a workspace when the free slabs of one pool suffice for both")
  void workspaces(AllocatorKind kind)
      throws InterruptedException, ExecutionException, TimeoutException {
    try (PoolScene scene = new PoolScene(kind)) {
      RefusingAllocator allocator = new RefusingAllocator(scene.allocator);
      WorkspacePool pool =
          scene.closing(WorkspacePool.builder(allocator).byteBudget(8 * GIB).build());
      pool.acquire(8 * GIB, scene.s1).close();
      bothGet(allocator, () -> pool.acquire(4 * GIB, scene.s1));
    }
  }

  /** The second runs out of memory while the first gives the pool's memory back. */
  private static void bothGet(RefusingAllocator allocator, Callable<AutoCloseable> taking)
      throws InterruptedException, ExecutionException, TimeoutException {
    CountDownLatch givingBack = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    allocator.beforeNextFree(
        () -> {
          givingBack.countDown();
          awaitUninterrupted(goOn);
        });
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try {
      Future<AutoCloseable> first = threads.submit(taking);
      assertTrue(givingBack.await(1, HOURS));
      Future<AutoCloseable> second = threads.submit(taking);
      assertThrows(TimeoutException.class, () -> second.get(100, MILLISECONDS));
      goOn.countDown();
      closeAll(first.get(1, HOURS), second.get(1, HOURS));
    } finally {
      goOn.countDown();
      threads.shutdown();
      assertTrue(threads.awaitTermination(1, HOURS), "a thread hangs");
    }
  }

  private static void awaitUninterrupted(CountDownLatch latch) {
    try {
      assertTrue(latch.await(1, HOURS));
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void closeAll(AutoCloseable... resources) {
    for (AutoCloseable each : resources) {
      PoolScene.closeFirst(each);
    }
  }
}
