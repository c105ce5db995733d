package org.vramkit.pool.workspace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;
import static org.vramkit.api.units.ByteSize.MIB;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.vramkit.api.allocator.WorkspaceLease;
import org.vramkit.api.device.Event;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.pool.AllocatorKind;
import org.vramkit.pool.PoolScene;
import org.vramkit.pool.streamordered.StreamOrderedPool;
import org.vramkit.pool.support.DriverStub;
import org.vramkit.pool.support.HandleStream;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimStream;

@DisplayName("S1: workspaces and the streams that lease them")
class WorkspaceStreamsTest {
  @ParameterizedTest
  @EnumSource
  @DisplayName("S1 defect: a slab changes streams in order, by a wait that the driver sees")
  void slabChangesStreamsInOrder(AllocatorKind kind) {
    try (PoolScene scene = new PoolScene(kind)) {
      WorkspacePool pool = scene.closing(WorkspacePool.create(scene.allocator));
      long address;
      try (WorkspaceLease lease = pool.acquire(MIB, scene.s1)) {
        address = lease.getAddress();
        scene.work(scene.s1, address, MIB);
      }
      long waits = scene.backend.getDriverCalls().getCount("cuStreamWaitEvent");
      try (WorkspaceLease lease = pool.acquire(MIB, scene.s2)) {
        assertEquals(address, lease.getAddress());
        scene.work(scene.s2, address, MIB);
      }
      assertEquals(waits + 1, scene.backend.getDriverCalls().getCount("cuStreamWaitEvent"));
      assertEquals(0, scene.backend.getTimeNanos() / PoolScene.WORK_NANOS, "the host waited");
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("S1 a stream gets back what it used itself before it waits for another's")
  void streamGetsItsOwnSlabFirst(AllocatorKind kind) {
    try (PoolScene scene = new PoolScene(kind)) {
      WorkspacePool pool = scene.closing(WorkspacePool.create(scene.allocator));
      WorkspaceLease first = pool.acquire(MIB, scene.s1);
      WorkspaceLease second = pool.acquire(MIB, scene.s2);
      long own = first.getAddress();
      first.close();
      second.close();
      try (WorkspaceLease again = pool.acquire(MIB, scene.s1)) {
        assertEquals(own, again.getAddress());
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("S1 a slab whose last stream is closed since serves another stream")
  void slabOfClosedStreamServesAnother(AllocatorKind kind) {
    try (PoolScene scene = new PoolScene(kind)) {
      WorkspacePool pool = scene.closing(WorkspacePool.create(scene.allocator));
      try (SimStream brief = scene.device.createStream();
          WorkspaceLease lease = pool.acquire(MIB, brief)) {
        scene.work(brief, lease.getAddress(), MIB);
      }
      try (WorkspaceLease lease = pool.acquire(MIB, scene.s1)) {
        scene.work(scene.s1, lease.getAddress(), MIB);
      }
    }
  }

  @Test
  @DisplayName("S1 for a stream that got the handle of a closed one, that one's work is waited for")
  void reusedHandleWaitsForTheOldOne() {
    DriverStub driver = new DriverStub();
    WorkspacePool pool = WorkspacePool.create(StreamOrderedPool.builder(driver.device).build());
    HandleStream closed = new HandleStream(driver.device, 7);
    pool.acquire(MIB, closed).close();
    HandleStream twin = new HandleStream(driver.device, 7);
    pool.acquire(MIB, twin).close();
    assertEquals(0, twin.waits(), "another object for the same stream");
    closed.close();
    twin.close();
    HandleStream next = new HandleStream(driver.device, 7);
    verify(driver.device, never()).synchronize();
    pool.acquire(MIB, next).close();
    verify(driver.device).synchronize();
    pool.close();
  }

  @Test
  @DisplayName("S1 a stream of another device is refused by both ordinals")
  void streamOfAnotherDeviceIsRefused() {
    try (SimBackend backend =
            SimBackend.builder().device(DeviceProfile.H200).device(DeviceProfile.H200).build();
        var allocator = AllocatorKind.CACHING_ON_PAGES.create(backend.getDevice(0));
        WorkspacePool pool = WorkspacePool.create(allocator)) {
      InvalidArgumentException e =
          assertThrows(
              InvalidArgumentException.class,
              () -> pool.acquire(1, backend.getDevice(1).getDefaultStream()));
      assertTrue(e.toString().contains("device 1") && e.toString().contains("device 0"));
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("S1 defect: many threads lease from one pool on their own and on shared streams")
  void threadsShareThePool(AllocatorKind kind) throws InterruptedException, ExecutionException {
    long seed = 11;
    try (PoolScene scene = new PoolScene(kind)) {
      WorkspacePool pool =
          scene.closing(WorkspacePool.builder(scene.allocator).byteBudget(16 * MIB).build());
      ExecutorService executor = Executors.newFixedThreadPool(4);
      try {
        List<Future<?>> running = new ArrayList<>();
        SplittableRandom seeds = new SplittableRandom(seed);
        for (int t = 0; t < 4; t++) {
          SplittableRandom random = seeds.split();
          running.add(
              executor.submit(
                  () -> {
                    for (int i = 0; i < 500; i++) {
                      SimStream stream = random.nextBoolean() ? scene.s1 : scene.s2;
                      long bytes = 1L << random.nextInt(10, 23);
                      try (WorkspaceLease lease = pool.acquire(bytes, stream)) {
                        scene.work(stream, lease.getAddress(), lease.getSize());
                      }
                    }
                  }));
        }
        for (Future<?> each : running) {
          each.get();
        }
      } finally {
        executor.shutdown();
      }
      assertTrue(pool.getFreeBytes() <= 16 * MIB, "seed " + seed);
      assertFalse(pool.getFreeSlabs() == 0, "seed " + seed);
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("a slab that another stream uses too is not leased again before it has passed")
  void recordedUse(AllocatorKind kind) {
    try (PoolScene scene = new PoolScene(kind)) {
      WorkspacePool pool = scene.closing(WorkspacePool.create(scene.allocator));
      WorkspaceLease lease = pool.acquire(4 * MIB, scene.s1);
      long address = lease.getAddress();
      assertTrue(lease.recordsUsesOf(scene.s2.getDevice()));
      scene.work(scene.s1, address, 4 * MIB);
      try (Event written = scene.s1.getDevice().createEvent()) {
        written.record(scene.s1);
        scene.s2.waitFor(written);
      }
      scene.work(scene.s2, address, 4 * MIB);
      lease.recordUse(scene.s2);
      lease.close();
      try (WorkspaceLease other = pool.acquire(4 * MIB, scene.s1)) {
        scene.work(scene.s1, other.getAddress(), 4 * MIB);
      }
      scene.s2.synchronize();
    }
  }
}
