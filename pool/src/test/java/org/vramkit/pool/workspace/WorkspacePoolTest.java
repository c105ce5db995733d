package org.vramkit.pool.workspace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.doAnswer;
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
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.vramkit.api.allocator.WorkspaceLease;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.DriverException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.AllocatorKind;
import org.vramkit.pool.PoolScene;
import org.vramkit.pool.RefusingAllocator;
import org.vramkit.pool.streamordered.StreamOrderedPool;
import org.vramkit.pool.support.DriverStub;
import org.vramkit.pool.support.HandleStream;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.driver.Fault;

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
  void classes(long bytes, long size) {
    assertEquals(size, SlabClasses.sizeFor(bytes));
  }

  @Test
  @DisplayName("S1 beyond 2^62 bytes a class would overflow, which is an error")
  void overflow() {
    assertThrows(InvalidArgumentException.class, () -> SlabClasses.sizeFor((1L << 62) + 1));
    assertThrows(InvalidArgumentException.class, () -> SlabClasses.sizeFor(-1));
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName(
      "S1.2 a free slab of exactly that class is used again, the newest first, for nothing")
  void reuse(AllocatorKind kind) {
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
  void lease(AllocatorKind kind) {
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
  void capacity(AllocatorKind kind) {
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

  private static void leaseAtOnce(WorkspacePool pool, int count, long bytes, SimStream stream) {
    List<WorkspaceLease> leases = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      leases.add(pool.acquire(bytes, stream));
    }
    leases.forEach(WorkspaceLease::close);
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("S1.5 free slabs and bytes are counted over all classes, leased ones are not")
  void diagnostics(AllocatorKind kind) {
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
  void outOfMemory(AllocatorKind kind) {
    try (PoolScene scene = new PoolScene(kind)) {
      WorkspacePool pool = scene.closing(WorkspacePool.create(scene.allocator));
      pool.acquire(512 * MIB, scene.s1).close();
      DeviceOutOfMemoryException e =
          assertThrows(
              DeviceOutOfMemoryException.class, () -> pool.acquire(9 * ByteSize.GIB, scene.s1));
      assertTrue(e.toString().contains("16.00 GiB"), e.toString());
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
  @DisplayName("S1 defect: a slab changes streams in order, by a wait that the driver sees")
  void acrossStreams(AllocatorKind kind) {
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
  void ownSlabFirst(AllocatorKind kind) {
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
  void closedStream(AllocatorKind kind) {
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
  void reusedHandle() {
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

  @ParameterizedTest
  @EnumSource
  @DisplayName("S1 defect: over the byte budget the least recently used slab goes back first")
  void budget(AllocatorKind kind) {
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
  void beyondTheBudget(AllocatorKind kind) {
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
  void defaultBudget() {
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
  void closed(AllocatorKind kind) {
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

  @ParameterizedTest
  @EnumSource
  @DisplayName("S1 a failing wait loses no slab")
  void failingWait(AllocatorKind kind) {
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
  void failingWaitAndFree() {
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
  void failingFreeOutOfMemory(AllocatorKind kind) {
    try (PoolScene scene = new PoolScene(kind)) {
      RefusingAllocator refusing = new RefusingAllocator(scene.allocator);
      WorkspacePool pool =
          scene.closing(WorkspacePool.builder(refusing).byteBudget(8 * ByteSize.GIB).build());
      pool.acquire(4 * ByteSize.GIB, scene.s1).close();
      refusing.refuseFrees(1);
      DriverException e =
          assertThrows(DriverException.class, () -> pool.acquire(8 * ByteSize.GIB, scene.s1));
      assertInstanceOf(DeviceOutOfMemoryException.class, e.getSuppressed()[0]);
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("S1 when one free fails the rest of the slabs goes back all the same")
  void failingFrees(AllocatorKind kind) {
    try (PoolScene scene = new PoolScene(kind)) {
      RefusingAllocator refusing = new RefusingAllocator(scene.allocator);
      WorkspacePool pool = scene.closing(WorkspacePool.create(refusing));
      leaseAtOnce(pool, 4, MIB, scene.s1);
      refusing.refuseFrees(2);
      DriverException e = assertThrows(DriverException.class, () -> pool.trim(0));
      assertEquals(1, e.getSuppressed().length);
      assertEquals(0, pool.getFreeSlabs());
      assertEquals(0, scene.allocator.getStatistics().allocations().current());
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("S1 a last use that the allocator refuses is waited for before the slab goes back")
  void refusedUse(AllocatorKind kind) {
    try (PoolScene scene = new PoolScene(kind)) {
      RefusingAllocator refusing = new RefusingAllocator(scene.allocator);
      WorkspacePool pool = scene.closing(WorkspacePool.create(refusing));
      leaseOnBoth(scene, pool);
      refusing.refuseUses(1);
      pool.trim(0);
      assertEquals(1, scene.backend.getTimeNanos() / PoolScene.WORK_NANOS, "the host waits");
      assertEquals(0, scene.allocator.getStatistics().allocations().current());
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("S1 a slab whose last use can neither be passed on nor waited for stays free")
  void refusedUseAndWait(AllocatorKind kind) {
    try (PoolScene scene = new PoolScene(kind)) {
      RefusingAllocator refusing = new RefusingAllocator(scene.allocator);
      WorkspacePool pool = scene.closing(WorkspacePool.create(refusing));
      leaseOnBoth(scene, pool);
      pool.acquire(4 * MIB, scene.s1).close();
      refusing.refuseUses(1);
      scene.backend.getFaults().failNext("cuCtxSynchronize", Fault.UNKNOWN);
      assertThrows(DriverException.class, pool::close);
      assertEquals(MIB, pool.getFreeBytes());
      pool.close();
      assertEquals(0, pool.getFreeBytes());
    }
  }

  /** A slab of s1 that s2 used last. */
  private static void leaseOnBoth(PoolScene scene, WorkspacePool pool) {
    pool.acquire(MIB, scene.s1).close();
    try (WorkspaceLease lease = pool.acquire(MIB, scene.s2)) {
      scene.work(scene.s2, lease.getAddress(), MIB);
    }
  }

  @Test
  @DisplayName("S1 a stream of another device is refused by both ordinals")
  void foreignStream() {
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
  void threads(AllocatorKind kind) throws InterruptedException, ExecutionException {
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
}
