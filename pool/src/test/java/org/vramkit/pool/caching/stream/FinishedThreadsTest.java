package org.vramkit.pool.caching.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.pool.caching.Sandbox.MIB;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.DisplayName;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.AllocatorOutOfMemoryException;
import org.vramkit.pool.caching.OnBothMemories;
import org.vramkit.pool.caching.PoolCapture;
import org.vramkit.pool.caching.PrivatePool;
import org.vramkit.pool.caching.Sandbox;
import org.vramkit.pool.caching.VirtualMemoryUse;
import org.vramkit.sim.SimStream;

@DisplayName("42.17 Scopes and blocks that a finished thread left open")
class FinishedThreadsTest {
  /** Does something by a thread that has finished afterwards. */
  private static void onFinishedThread(Supplier<?> action) {
    AtomicReference<Object> opened = new AtomicReference<>();
    Thread thread = new Thread(() -> opened.set(action.get()));
    thread.start();
    try {
      thread.join();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    assertNotNull(opened.get());
  }

  @OnBothMemories
  @DisplayName(
      "42.17 a scope keeps no memory of a pool that is closed after the thread has finished")
  void scopeBeforeClose(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use)) {
      PrivatePool pool = box.allocator.createPool();
      pool.getAllocator().allocate(40 * MIB, box.stream).close();
      onFinishedThread(() -> pool.use());
      pool.close();
      assertEquals(0, pool.getUseCount());
      assertEquals(0, box.statistics().reserved().current());
    }
  }

  @OnBothMemories
  @DisplayName("42.17 memory of a scope that was closed before serves a request that needs it")
  void scopeAfterClose(VirtualMemoryUse use) throws InterruptedException {
    try (Sandbox box = Sandbox.on(use, b -> b.limit(64 * MIB))) {
      PrivatePool pool = box.allocator.createPool();
      pool.getAllocator().allocate(40 * MIB, box.stream).close();
      CountDownLatch opened = new CountDownLatch(1);
      CountDownLatch finish = new CountDownLatch(1);
      Thread thread =
          new Thread(
              () -> {
                pool.use();
                pool.use();
                opened.countDown();
                await(finish);
              });
      thread.start();
      await(opened);
      pool.close();
      AllocatorOutOfMemoryException e =
          assertThrows(AllocatorOutOfMemoryException.class, () -> box.allocate(60 * MIB));
      assertTrue(e.getReport().advice().contains("trim private pool 1"), e.getReport().advice());
      finish.countDown();
      thread.join();
      box.allocate(60 * MIB);
      assertEquals(0, pool.getUseCount());
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @OnBothMemories
  @DisplayName("42.17 a trim gives back what only a scope of such a thread kept")
  void trim(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use)) {
      PrivatePool pool = box.allocator.createPool();
      onFinishedThread(
          () -> {
            pool.use();
            pool.close();
            return box.allocate(40 * MIB);
          });
      Allocation other = box.allocate(MIB);
      box.allocator.trim(0);
      assertEquals(0, pool.getUseCount());
      assertTrue(box.statistics().reserved().current() >= 40 * MIB, "what is live stays");
      other.close();
    }
  }

  @OnBothMemories
  @DisplayName("42.17 a capture releases its pool's memory and gives no graph")
  void capture(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use, b -> b.limit(64 * MIB))) {
      PrivatePool pool = box.allocator.createPool();
      SimStream captured = box.newStream();
      onFinishedThread(
          () -> {
            PoolCapture capture = pool.capture(captured);
            box.allocator.allocate(40 * MIB, captured).close();
            return capture;
          });
      assertEquals(1, pool.getGraphCount());
      pool.close();
      assertEquals(0, pool.getGraphCount());
      assertEquals(0, pool.getUseCount());
      box.allocate(60 * MIB);
    }
  }

  @OnBothMemories
  @DisplayName("42.17 advice names the memory that a capture in progress keeps")
  void advice(VirtualMemoryUse use) throws InterruptedException {
    try (Sandbox box = Sandbox.on(use, b -> b.limit(64 * MIB));
        PrivatePool pool = box.allocator.createPool()) {
      SimStream captured = box.newStream();
      CountDownLatch begun = new CountDownLatch(1);
      CountDownLatch end = new CountDownLatch(1);
      Thread thread =
          new Thread(
              () -> {
                try (PoolCapture capture = pool.capture(captured)) {
                  box.allocator.allocate(40 * MIB, captured).close();
                  begun.countDown();
                  await(end);
                  capture.end().close();
                }
              });
      thread.start();
      await(begun);
      AllocatorOutOfMemoryException e =
          assertThrows(AllocatorOutOfMemoryException.class, () -> box.allocate(60 * MIB));
      end.countDown();
      thread.join();
      assertTrue(e.getReport().advice().contains("captures hold 40.00 MiB"), e.toString());
    }
  }
}
