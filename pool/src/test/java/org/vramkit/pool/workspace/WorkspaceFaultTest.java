package org.vramkit.pool.workspace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.doAnswer;
import static org.vramkit.api.units.ByteSize.MIB;
import static org.vramkit.pool.workspace.Leases.leaseAtOnce;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.vramkit.api.allocator.WorkspaceLease;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.DriverException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.AllocatorKind;
import org.vramkit.pool.PoolScene;
import org.vramkit.pool.RefusingAllocator;
import org.vramkit.pool.streamordered.StreamOrderedPool;
import org.vramkit.pool.support.DriverStub;
import org.vramkit.sim.driver.Fault;

@DisplayName("S1: workspaces where the driver or the allocator fails")
class WorkspaceFaultTest {
  /** A slab of s1 that s2 used last. */
  private static void leaseOnBoth(PoolScene scene, WorkspacePool pool) {
    pool.acquire(MIB, scene.s1).close();
    try (WorkspaceLease lease = pool.acquire(MIB, scene.s2)) {
      scene.work(scene.s2, lease.getAddress(), MIB);
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("S1 a failing wait loses no slab")
  void failingWaitLosesNoSlab(AllocatorKind kind) {
    try (PoolScene scene = new PoolScene(kind)) {
      WorkspacePool pool = scene.closing(WorkspacePool.create(scene.allocator));
      pool.acquire(MIB, scene.s1).close();
      scene.backend.getFaults().failNext("cuStreamWaitEvent", Fault.UNKNOWN);
      assertThrows(DriverException.class, () -> pool.acquire(MIB, scene.s2));
      assertEquals(1, pool.getFreeSlabs());
    }
  }

  @Test
  @DisplayName("S1 a failing wait is what is thrown, also when giving the slab back fails too")
  void failingWaitIsThrownFirst() {
    DriverStub driver = new DriverStub();
    RefusingAllocator refusing =
        new RefusingAllocator(StreamOrderedPool.builder(driver.device).build());
    WorkspacePool pool = WorkspacePool.create(refusing);
    pool.acquire(MIB, driver.newStream()).close();
    Stream next = driver.newStream();
    doAnswer(
            call -> {
              pool.close();
              throw new DriverException("the wait is refused");
            })
        .when(next)
        .waitFor(any());
    refusing.refuseFrees(1);
    DriverException e = assertThrows(DriverException.class, () -> pool.acquire(MIB, next));
    assertEquals("the wait is refused", e.getMessage());
    assertEquals(1, e.getSuppressed().length);
    assertEquals(0, refusing.getStatistics().allocations().current());
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("S1 a free that fails when memory has run out tells that as well")
  void failingFreeIsToldWhenOutOfMemory(AllocatorKind kind) {
    try (PoolScene scene = new PoolScene(kind)) {
      WorkspacePool pool =
          scene.closing(WorkspacePool.builder(scene.refusing).byteBudget(8 * ByteSize.GIB).build());
      pool.acquire(4 * ByteSize.GIB, scene.s1).close();
      scene.refusing.refuseFrees(1);
      DriverException e =
          assertThrows(DriverException.class, () -> pool.acquire(8 * ByteSize.GIB, scene.s1));
      assertInstanceOf(DeviceOutOfMemoryException.class, e.getSuppressed()[0]);
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("S1 if one free fails, the other slabs are returned nevertheless")
  void oneFailingFreeLeavesTheRest(AllocatorKind kind) {
    try (PoolScene scene = new PoolScene(kind)) {
      WorkspacePool pool = scene.closing(WorkspacePool.create(scene.refusing));
      leaseAtOnce(pool, 4, MIB, scene.s1);
      scene.refusing.refuseFrees(2);
      DriverException e = assertThrows(DriverException.class, () -> pool.trim(0));
      assertEquals(1, e.getSuppressed().length);
      assertEquals(0, pool.getFreeSlabs());
      assertEquals(0, scene.allocator.getStatistics().allocations().current());
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("S1 a last use that the allocator refuses is waited for before the slab goes back")
  void refusedUseIsWaitedFor(AllocatorKind kind) {
    try (PoolScene scene = new PoolScene(kind)) {
      WorkspacePool pool = scene.closing(WorkspacePool.create(scene.refusing));
      leaseOnBoth(scene, pool);
      scene.refusing.refuseUses(1);
      pool.trim(0);
      assertEquals(1, scene.backend.getTimeNanos() / PoolScene.WORK_NANOS, "the host waits");
      assertEquals(0, scene.allocator.getStatistics().allocations().current());
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("S1 a slab whose last use can neither be passed on nor waited for stays free")
  void slabWithoutWaitStaysFree(AllocatorKind kind) {
    try (PoolScene scene = new PoolScene(kind)) {
      WorkspacePool pool = scene.closing(WorkspacePool.create(scene.refusing));
      leaseOnBoth(scene, pool);
      pool.acquire(4 * MIB, scene.s1).close();
      scene.refusing.refuseUses(1);
      scene.backend.getFaults().failNext("cuStreamSynchronize", Fault.UNKNOWN);
      assertThrows(DriverException.class, pool::close);
      assertEquals(MIB, pool.getFreeBytes());
      pool.close();
      assertEquals(0, pool.getFreeBytes());
    }
  }
}
