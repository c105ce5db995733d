package org.vramkit.pool;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.fail;
import static org.vramkit.api.units.ByteSize.MIB;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.ElementType;
import org.vramkit.api.device.Event;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.DriverException;
import org.vramkit.pool.buffer.BufferPool;
import org.vramkit.pool.buffer.TypedBuffer;
import org.vramkit.pool.pinned.PinnedPool;
import org.vramkit.pool.pinned.PooledPinnedBuffer;
import org.vramkit.pool.streamordered.StreamOrderedPool;
import org.vramkit.pool.workspace.WorkspacePool;
import org.vramkit.sim.driver.Fault;

@DisplayName("17.25 no pool keeps a lock once a call is over, however it ended")
class LocksTest {
  private static final long HOPELESS = 1L << 40;

  private final PoolScene scene = new PoolScene(AllocatorKind.NATIVE);

  @AfterEach
  void close() {
    scene.close();
  }

  /** Makes a call, and then all that others may do on a thread of its own. */
  private static void step(String what, Runnable call, Runnable others) {
    call.run();
    FutureTask<Void> rest = new FutureTask<>(others, null);
    Thread thread = new Thread(rest, "after " + what);
    thread.setDaemon(true);
    thread.start();
    try {
      rest.get(1, TimeUnit.HOURS);
    } catch (TimeoutException e) {
      fail("a lock is still held after " + what);
    } catch (InterruptedException | ExecutionException e) {
      fail("after " + what, e);
    }
  }

  private void secondAfterFirst() {
    try (Event now = scene.device.createEvent()) {
      now.record(scene.s1);
      scene.s2.waitFor(now);
    }
  }

  /** What a pool has to say that is closed by then, or has too little. */
  private static void refusable(Runnable call) {
    try {
      call.run();
    } catch (ClosedException | DeviceOutOfMemoryException refusal) {
      // Either is fine: what matters here is that the call comes to its end.
    }
  }

  @Tag("virtual-time")
  @Test
  @DisplayName("17.25 the buffer pool")
  void bufferPool() {
    RefusingAllocator allocator = new RefusingAllocator(scene.allocator);
    BufferPool pool = BufferPool.create(allocator);
    Runnable others =
        () -> {
          refusable(() -> pool.acquire(ElementType.INT8, 512, scene.s1).close());
          pool.getStatistics();
          pool.resetStatistics();
          pool.getCachedBytes(0);
          pool.emptyCache(0);
        };
    Runnable underWay =
        () -> {
          try (TypedBuffer buffer = pool.acquire(ElementType.INT8, MIB, scene.s1)) {
            buffer.recordUse(scene.s2);
            secondAfterFirst();
            scene.work(scene.s2, buffer.getAddress(), MIB);
          }
        };
    step("take and close", () -> pool.acquire(ElementType.INT8, MIB, scene.s1).close(), others);
    step("close under way", underWay, others);
    step("statistics", pool::getStatistics, others);
    step("reset", pool::resetStatistics, others);
    step("cached bytes", () -> pool.getCachedBytes(0), others);
    step(
        "a take without memory",
        () ->
            assertThrows(
                DeviceOutOfMemoryException.class,
                () -> pool.acquire(ElementType.INT8, HOPELESS, scene.s1)),
        others);
    step(
        "a buffer that cannot go back",
        () -> {
          underWay.run();
          allocator.refuseUses(1);
          scene.backend.getFaults().failNext("cuEventSynchronize", Fault.UNKNOWN);
          assertThrows(DriverException.class, pool::emptyCache);
        },
        others);
    step("empty", pool::emptyCache, others);
    step("close", pool::close, others);
    step(
        "a take from a closed pool",
        () ->
            assertThrows(ClosedException.class, () -> pool.acquire(ElementType.INT8, 1, scene.s1)),
        others);
  }

  @Test
  @DisplayName("17.25 the pool of page-locked buffers")
  void pinnedPool() {
    PinnedPool pool = PinnedPool.create(scene.device);
    Allocation target = scene.closing(scene.allocator.allocate(MIB, scene.s1));
    Runnable others =
        () -> {
          refusable(() -> pool.acquire(512).close());
          pool.getHits();
          pool.getMisses();
          pool.getLockedBytes();
          pool.getFreeBytes();
          pool.trim(0);
        };
    step("take and close", () -> pool.acquire(MIB).close(), others);
    step("free bytes", pool::getFreeBytes, others);
    step(
        "close under way",
        () -> {
          try (PooledPinnedBuffer buffer = pool.acquire(MIB)) {
            buffer.copyToDevice(target.getAddress(), scene.s1);
          }
        },
        others);
    step(
        "a take without memory",
        () -> assertThrows(DeviceOutOfMemoryException.class, () -> pool.acquire(HOPELESS)),
        others);
    step("trim", () -> pool.trim(0), others);
    step("close", pool::close, others);
    step(
        "a take from a closed pool",
        () -> assertThrows(ClosedException.class, () -> pool.acquire(1)),
        others);
  }

  @Test
  @DisplayName("17.25 the workspace pool")
  void workspacePool() {
    RefusingAllocator allocator = new RefusingAllocator(scene.allocator);
    WorkspacePool pool = WorkspacePool.create(allocator);
    Runnable others =
        () -> {
          refusable(() -> pool.acquire(512, scene.s1).close());
          pool.getFreeBytes();
          pool.getFreeSlabs();
          pool.trim(0);
        };
    step("acquire and close", () -> pool.acquire(MIB, scene.s1).close(), others);
    step("free bytes", pool::getFreeBytes, others);
    step("free slabs", pool::getFreeSlabs, others);
    step(
        "an acquire without memory",
        () ->
            assertThrows(DeviceOutOfMemoryException.class, () -> pool.acquire(HOPELESS, scene.s1)),
        others);
    step(
        "a slab that cannot go back",
        () -> {
          pool.acquire(MIB, scene.s1).close();
          pool.acquire(MIB, scene.s2).close();
          allocator.refuseUses(1);
          scene.backend.getFaults().failNext("cuStreamSynchronize", Fault.UNKNOWN);
          assertThrows(DriverException.class, () -> pool.trim(0));
        },
        others);
    step("trim", () -> pool.trim(0), others);
    step("close", pool::close, others);
    step(
        "an acquire from a closed pool",
        () -> assertThrows(ClosedException.class, () -> pool.acquire(1, scene.s1)),
        others);
  }

  @Test
  @DisplayName("17.25 the stream-ordered pool")
  void streamOrderedPool() {
    StreamOrderedPool pool = StreamOrderedPool.builder(scene.device).build();
    Runnable others =
        () -> {
          refusable(() -> pool.allocate(512, scene.s1).close());
          // A driver that has too little: whatever is cached is looked through.
          refusable(() -> pool.allocate(HOPELESS, scene.s1));
          pool.trimCache(0);
          pool.getStatistics();
        };
    step("allocate and close", () -> pool.allocate(MIB, scene.s1).close(), others);
    step(
        "close under way",
        () -> {
          try (Allocation memory = pool.allocate(MIB, scene.s1)) {
            scene.work(scene.s1, memory.getAddress(), MIB);
          }
        },
        others);
    step(
        "a block of another stream, under pressure",
        () -> {
          pool.allocate(5L << 30, scene.s1).close();
          pool.allocate(5L << 30, scene.s2).close();
        },
        others);
    step(
        "an allocation without memory",
        () ->
            assertThrows(DeviceOutOfMemoryException.class, () -> pool.allocate(HOPELESS, scene.s1)),
        others);
    step("trim", () -> pool.trim(0), others);
    step("a threshold", () -> pool.setReleaseThreshold(0), others);
    step("a free above the threshold", () -> pool.allocate(MIB, scene.s1).close(), others);
    step("close", pool::close, others);
  }
}
