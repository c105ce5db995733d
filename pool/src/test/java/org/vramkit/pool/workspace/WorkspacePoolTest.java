package org.vramkit.pool.workspace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.api.units.ByteSize.MIB;
import static org.vramkit.pool.workspace.Leases.leaseAtOnce;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.vramkit.api.allocator.AllocatorOutOfMemoryException;
import org.vramkit.api.allocator.WorkspaceLease;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.AllocatorKind;
import org.vramkit.pool.PoolScene;

@DisplayName("S1: the workspace pool")
class WorkspacePoolTest {
  @ParameterizedTest(name = "{0} bytes: {1}")
  @CsvSource({
    "0, 1024",
    "1, 1024",
    "1024, 1024",
    "1025, 2048",
    "4194304, 4194304",
    "4194305, 8388608",
    "8519680, 16777216",
    "4611686018427387904, 4611686018427387904"
  })
  @DisplayName("S1.1 the class of a request is the next power of two, 1 KiB at least")
  void classIsTheNextPowerOfTwo(long bytes, long size) {
    assertEquals(size, WorkspacePool.classFor(bytes));
  }

  @Test
  @DisplayName("S1 beyond 2^62 bytes a class would overflow, which is an error")
  void classBeyondLongIsAnError() {
    assertThrows(InvalidArgumentException.class, () -> WorkspacePool.classFor((1L << 62) + 1));
    assertThrows(InvalidArgumentException.class, () -> WorkspacePool.classFor(-1));
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName(
      "S1.2 a free slab of exactly that class is used again, the newest first, for nothing")
  void newestSlabIsUsedAgain(AllocatorKind kind) {
    try (PoolScene scene = new PoolScene(kind)) {
      WorkspacePool pool = scene.closing(WorkspacePool.create(scene.allocator));
      WorkspaceLease older = pool.acquire(4 * MIB, scene.s1);
      WorkspaceLease newer = pool.acquire(4 * MIB, scene.s1);
      WorkspaceLease larger = pool.acquire(8 * MIB, scene.s1);
      long address = newer.getAddress();
      scene.work(scene.s1, address, 4 * MIB);
      older.close();
      newer.close();
      larger.close();
      scene.driverCalls();
      try (WorkspaceLease again = pool.acquire(3 * MIB, scene.s1)) {
        assertEquals(address, again.getAddress());
        assertEquals(4 * MIB, again.getSize());
        assertEquals(0, scene.driverCalls());
        scene.work(scene.s1, address, 4 * MIB);
      }
      assertEquals(3, pool.getFreeSlabs());
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("S1.3 a lease has the size of its class; closed twice it returns one slab")
  void leaseHasTheSizeOfItsClass(AllocatorKind kind) {
    try (PoolScene scene = new PoolScene(kind)) {
      WorkspacePool pool = scene.closing(WorkspacePool.create(scene.allocator));
      WorkspaceLease lease = pool.acquire(1500, scene.s1);
      assertEquals(2048, lease.getSize());
      lease.close();
      lease.close();
      assertEquals(1, pool.getFreeSlabs());
      ClosedException e = assertThrows(ClosedException.class, lease::getAddress);
      assertTrue(e.toString().contains("2048"), e.toString());
      assertThrows(ClosedException.class, lease::getSize);
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("S1.4 a class keeps four free slabs, and a capacity below one counts as one")
  void classKeepsFourFreeSlabs(AllocatorKind kind) {
    try (PoolScene scene = new PoolScene(kind)) {
      WorkspacePool pool = scene.closing(WorkspacePool.create(scene.allocator));
      leaseAtOnce(pool, 6, MIB, scene.s1);
      assertEquals(4, pool.getFreeSlabs());
      assertEquals(4 * MIB, pool.getFreeBytes());
      WorkspacePool one =
          scene.closing(WorkspacePool.builder(scene.allocator).perClassCapacity(-3).build());
      leaseAtOnce(one, 3, MIB, scene.s1);
      assertEquals(1, one.getFreeSlabs());
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("S1.5 free slabs and bytes are counted over all classes, leased ones are not")
  void freeSlabsAreCounted(AllocatorKind kind) {
    try (PoolScene scene = new PoolScene(kind)) {
      WorkspacePool pool = scene.closing(WorkspacePool.create(scene.allocator));
      assertEquals(0, pool.getFreeSlabs());
      try (WorkspaceLease held = pool.acquire(32 * MIB, scene.s1)) {
        pool.acquire(1024, scene.s1).close();
        pool.acquire(4 * MIB, scene.s1).close();
        assertEquals(2, pool.getFreeSlabs());
        assertEquals(4 * MIB + 1024, pool.getFreeBytes());
        assertEquals(32 * MIB, held.getSize());
      }
      assertEquals(3, pool.getFreeSlabs());
      assertEquals(36 * MIB + 1024, pool.trim(0));
      assertEquals(0, pool.getFreeBytes());
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("S1.6 out of memory names the class, after the free slabs have gone back in vain")
  void outOfMemoryNamesTheClass(AllocatorKind kind) {
    try (PoolScene scene = new PoolScene(kind)) {
      WorkspacePool pool = scene.closing(WorkspacePool.create(scene.allocator));
      pool.acquire(512 * MIB, scene.s1).close();
      DeviceOutOfMemoryException e =
          assertThrows(
              DeviceOutOfMemoryException.class, () -> pool.acquire(9 * ByteSize.GIB, scene.s1));
      assertTrue(e.toString().contains("16.00 GiB"), e.toString());
      boolean reports = kind.name().startsWith("CACHING");
      assertEquals(reports, e instanceof AllocatorOutOfMemoryException, "the report is kept");
      assertEquals(0, pool.getFreeSlabs());
      pool.acquire(4 * ByteSize.GIB, scene.s1).close();
      // There is room for these only once the free slab of 4 GiB has gone back.
      List<WorkspaceLease> all = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        all.add(pool.acquire(2 * ByteSize.GIB, scene.s1));
      }
      assertEquals(0, pool.getFreeSlabs());
      all.forEach(WorkspaceLease::close);
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("S1 defect: over the byte budget the least recently used slab goes back first")
  void budgetEvictsTheLeastRecent(AllocatorKind kind) {
    try (PoolScene scene = new PoolScene(kind)) {
      WorkspacePool pool =
          scene.closing(WorkspacePool.builder(scene.allocator).byteBudget(7 * MIB).build());
      pool.acquire(4 * MIB, scene.s1).close();
      pool.acquire(2 * MIB, scene.s1).close();
      pool.acquire(4 * MIB, scene.s1).close(); // used again: the 2 MiB are the oldest now
      pool.acquire(MIB, scene.s1).close();
      pool.acquire(512 * 1024, scene.s1).close();
      assertEquals(4 * MIB + MIB + 512 * 1024, pool.getFreeBytes());
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("17.25 a slab beyond the whole budget goes back at once and drives no other out")
  void slabBeyondTheBudgetGoesBack(AllocatorKind kind) {
    try (PoolScene scene = new PoolScene(kind)) {
      WorkspacePool pool =
          scene.closing(WorkspacePool.builder(scene.allocator).byteBudget(7 * MIB).build());
      pool.acquire(4 * MIB, scene.s1).close();
      pool.acquire(8 * MIB, scene.s1).close();
      assertEquals(4 * MIB, pool.getFreeBytes());
    }
  }

  @Test
  @DisplayName("17.25 by default four slabs of 256 MiB are kept, and none of 2 GiB")
  void defaultBudgetKeepsFourSlabs() {
    try (PoolScene scene = new PoolScene(AllocatorKind.CACHING_ON_PAGES)) {
      WorkspacePool pool = scene.closing(WorkspacePool.create(scene.allocator));
      List<WorkspaceLease> leases = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        leases.add(pool.acquire(256 * MIB, scene.s1));
      }
      leases.forEach(WorkspaceLease::close);
      pool.acquire(2048 * MIB, scene.s1).close();
      assertEquals(4, pool.getFreeSlabs());
      assertEquals(1024 * MIB, pool.getFreeBytes());
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("S1 after close leases end well, and nothing more is leased")
  void leasesEndWellAfterClose(AllocatorKind kind) {
    try (PoolScene scene = new PoolScene(kind)) {
      WorkspacePool pool = WorkspacePool.create(scene.allocator);
      WorkspaceLease out = pool.acquire(MIB, scene.s1);
      pool.acquire(2 * MIB, scene.s1).close();
      pool.close();
      pool.close();
      assertThrows(ClosedException.class, () -> pool.acquire(MIB, scene.s1));
      assertNotEquals(0, out.getAddress());
      out.close();
      assertEquals(0, pool.getFreeSlabs());
    }
  }
}
