package org.vramkit.pool.pinned;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.api.units.ByteSize.MIB;

import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.api.allocator.Stat;
import org.vramkit.api.device.Capability;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.DriverException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.error.NotSupportedException;
import org.vramkit.pool.AllocatorKind;
import org.vramkit.pool.PoolScene;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.driver.Fault;

@DisplayName("The pool of page-locked host buffers")
class PinnedPoolTest {
  private static PoolScene scene() {
    return new PoolScene(AllocatorKind.CACHING_ON_PAGES);
  }

  @Test
  @DisplayName("57 a class is at most 12.5 % larger than the request, for any size")
  void classesWasteAnEighth() {
    SplittableRandom random = new SplittableRandom(57);
    for (int i = 0; i < 100_000; i++) {
      long bytes = random.nextLong(512, 1L << random.nextInt(10, 40));
      long size = PinnedPool.classFor(bytes);
      assertTrue(size >= bytes && size - bytes <= bytes / 8, bytes + " -> " + size);
      assertEquals(size, PinnedPool.classFor(size), "a class is its own class");
    }
    assertEquals(64, PinnedPool.classFor(1));
    assertEquals(40 * 1024, PinnedPool.classFor(40 * 1024));
    assertEquals(PinnedPool.LARGEST_CLASS, PinnedPool.classFor(PinnedPool.LARGEST_CLASS));
  }

  @Test
  @DisplayName("42.28 has statistics of page-locked memory: held, locked, kept, hits and refusals")
  void statistics() {
    try (PoolScene scene = scene()) {
      PinnedPool pool = scene.closing(PinnedPool.builder(scene.device).byteLimit(MIB).build());
      pool.acquire(MIB / 2).close();
      try (PooledPinnedBuffer held = pool.acquire(MIB / 2)) {
        assertThrows(DeviceOutOfMemoryException.class, () -> pool.acquire(MIB));
        AllocatorStatistics figures = pool.getStatistics();
        assertEquals(new Stat(MIB / 2, MIB / 2, MIB, MIB / 2), figures.allocated());
        assertEquals(new Stat(MIB / 2, MIB / 2, MIB / 2, 0), figures.reserved());
        assertEquals(List.of(1L, 1L), List.of(figures.servedFromPool(), figures.misses()));
        assertEquals(1, figures.outOfMemories());
        assertEquals(MIB / 2, held.getSize());
      }
      pool.trim(0);
      assertEquals(MIB / 2, pool.getStatistics().reserved().peak());
      pool.resetPeaks();
      assertEquals(0, pool.getStatistics().reserved().peak());
    }
  }

  @Test
  @DisplayName("56 a closed buffer serves the next request of its class at the same address")
  void closedBufferServesItsClass() {
    try (PoolScene scene = scene()) {
      PinnedPool pool = scene.closing(PinnedPool.create(scene.device));
      PooledPinnedBuffer first = pool.acquire(40_000);
      long address = first.getMemory().getAddress();
      first.close();
      scene.driverCalls();
      try (PooledPinnedBuffer again = pool.acquire(39_500)) {
        assertEquals(address, again.getMemory().getAddress());
        assertEquals(39_500, again.getBytes().remaining());
        assertEquals(0, scene.driverCalls());
      }
      assertEquals(1, pool.getHits());
      assertEquals(1, pool.getMisses());
    }
  }

  @Test
  @DisplayName("56 a buffer that a queued copy uses is not reused before that copy is done")
  @Tag("virtual-time")
  void bufferInFlightIsNotReused() {
    try (PoolScene scene = scene();
        var target = scene.allocator.allocate(MIB, scene.s1)) {
      PinnedPool pool = scene.closing(PinnedPool.create(scene.device));
      PooledPinnedBuffer buffer = pool.acquire(MIB);
      long address = buffer.getMemory().getAddress();
      buffer.getBytes().put(0, (byte) 42);
      scene.work(scene.s1, target.getAddress(), MIB);
      buffer.copyToDevice(target.getAddress(), scene.s1);
      buffer.close();
      PooledPinnedBuffer other = pool.acquire(MIB);
      assertNotEquals(address, other.getMemory().getAddress());
      scene.s1.synchronize();
      PooledPinnedBuffer back = pool.acquire(MIB);
      assertEquals(address, back.getMemory().getAddress());
      back.getBytes().put(0, (byte) 0);
      back.copyToHost(target.getAddress(), scene.s1);
      scene.s1.synchronize();
      assertEquals(42, back.getBytes().get(0));
      other.close();
      back.close();
    }
  }

  @Test
  @DisplayName("17.7 a thousand copies of one stream cost one question as long as it is behind")
  @Tag("virtual-time")
  void streamBehindCostsOneQuestion() {
    try (PoolScene scene = scene();
        var target = scene.allocator.allocate(MIB, scene.s1)) {
      PinnedPool pool = scene.closing(PinnedPool.create(scene.device));
      List<PooledPinnedBuffer> copying =
          Stream.generate(() -> pool.acquire(64)).limit(1000).toList();
      scene.work(scene.s1, target.getAddress(), MIB);
      for (PooledPinnedBuffer each : copying) {
        each.copyToDevice(target.getAddress(), scene.s1);
        each.close();
      }
      scene.backend.getDriverCalls().reset();
      pool.acquire(64).close();
      assertEquals(1, scene.backend.getDriverCalls().getCount("cuEventQuery"));
      assertEquals(64, pool.getFreeBytes());
      assertEquals(2, scene.backend.getDriverCalls().getCount("cuEventQuery"));
    }
  }

  @Test
  @DisplayName("17.26 a buffer that is wanted only if it is there takes nothing from the host")
  @Tag("virtual-time")
  void tryTakeTakesNothingFromTheHost() {
    try (PoolScene scene = scene();
        var target = scene.allocator.allocate(MIB, scene.s1)) {
      PinnedPool pool = scene.closing(PinnedPool.create(scene.device));
      assertNull(pool.tryAcquire(MIB));
      PooledPinnedBuffer first = pool.acquire(MIB);
      scene.work(scene.s1, target.getAddress(), MIB);
      first.copyToDevice(target.getAddress(), scene.s1);
      first.close();
      assertNull(pool.tryAcquire(MIB), "its copy is under way");
      scene.s1.synchronize();
      requireNonNull(pool.tryAcquire(MIB)).close();
      assertEquals(MIB, pool.getLockedBytes());
      assertThrows(InvalidArgumentException.class, () -> pool.tryAcquire(0));
      pool.close();
      assertThrows(ClosedException.class, () -> pool.tryAcquire(MIB));
    }
  }

  @Test
  @DisplayName("57 emptying with every buffer held changes nothing; free ones go back oldest first")
  void freeBuffersGoBackOldestFirst() {
    try (PoolScene scene = scene()) {
      PinnedPool pool = scene.closing(PinnedPool.create(scene.device));
      PooledPinnedBuffer first = pool.acquire(40 * 1024);
      PooledPinnedBuffer second = pool.acquire(80 * 1024);
      pool.trim(0);
      assertEquals(120 * 1024, pool.getLockedBytes());
      first.close();
      second.close();
      assertEquals(120 * 1024, pool.getFreeBytes());
      pool.trim(80 * 1024);
      assertEquals(80 * 1024, pool.getLockedBytes());
    }
  }

  @Test
  @DisplayName("A missing stream is refused, and the buffer goes on without it")
  @SuppressWarnings("NullAway") // a caller without null checks
  void missingStreamIsRefused() {
    try (PoolScene scene = scene()) {
      PinnedPool pool = scene.closing(PinnedPool.create(scene.device));
      PooledPinnedBuffer buffer = pool.acquire(100);
      assertThrows(NullPointerException.class, () -> buffer.copyToDevice(5, null));
      assertThrows(NullPointerException.class, () -> buffer.copyToHost(5, null));
      assertThrows(NullPointerException.class, () -> buffer.recordUse(null));
      buffer.close();
      assertEquals(128, pool.getFreeBytes());
    }
  }

  @Test
  @DisplayName("The byte limit is kept by giving free buffers back, then by waiting for copies")
  void limitIsKeptByFreeing() {
    try (PoolScene scene = scene();
        var target = scene.allocator.allocate(4 * MIB, scene.s1)) {
      PinnedPool pool = scene.closing(PinnedPool.builder(scene.device).byteLimit(8 * MIB).build());
      pool.acquire(2 * MIB).close();
      pool.acquire(4 * MIB).close();
      PooledPinnedBuffer held = pool.acquire(6 * MIB);
      assertTrue(pool.getLockedBytes() <= 8 * MIB);
      PooledPinnedBuffer copying = pool.acquire(MIB);
      copying.copyToDevice(target.getAddress(), scene.s1);
      copying.close();
      pool.acquire(2 * MIB).close();
      assertTrue(pool.getLockedBytes() <= 8 * MIB);
      DeviceOutOfMemoryException e =
          assertThrows(DeviceOutOfMemoryException.class, () -> pool.acquire(3 * MIB));
      assertTrue(e.toString().contains("limit 8.00 MiB"), e.toString());
      held.close();
      pool.acquire(3 * MIB).close();
    }
  }

  @Test
  @DisplayName("A request that the limit forbids in any case is refused and leaves the rest alone")
  @Tag("virtual-time")
  void requestBeyondTheLimitIsRefused() {
    try (PoolScene scene = scene();
        var target = scene.allocator.allocate(MIB, scene.s1)) {
      PinnedPool pool = scene.closing(PinnedPool.builder(scene.device).byteLimit(8 * MIB).build());
      pool.acquire(4 * MIB).close();
      PooledPinnedBuffer copying = pool.acquire(MIB);
      scene.work(scene.s1, target.getAddress(), MIB);
      copying.copyToDevice(target.getAddress(), scene.s1);
      copying.close();
      PooledPinnedBuffer held = pool.acquire(2 * MIB);
      assertThrows(DeviceOutOfMemoryException.class, () -> pool.acquire(9 * MIB));
      DeviceOutOfMemoryException e =
          assertThrows(DeviceOutOfMemoryException.class, () -> pool.acquire(7 * MIB));
      assertTrue(e.toString().contains("2.00 MiB are held"), e.toString());
      assertEquals(7 * MIB, pool.getLockedBytes());
      assertEquals(4 * MIB, pool.getFreeBytes());
      assertEquals(0, scene.backend.getTimeNanos() / PoolScene.WORK_NANOS, "the host waited");
      held.close();
      pool.acquire(7 * MIB).close();
    }
  }

  @Test
  @DisplayName("A buffer that a wait frees is reused as it is if it has the right size")
  void waitedForBufferIsHandedOut() {
    try (PoolScene scene = scene();
        var target = scene.allocator.allocate(MIB, scene.s1)) {
      PinnedPool pool = scene.closing(PinnedPool.builder(scene.device).byteLimit(MIB).build());
      PooledPinnedBuffer copying = pool.acquire(MIB);
      long address = copying.getMemory().getAddress();
      scene.work(scene.s1, target.getAddress(), MIB);
      copying.copyToDevice(target.getAddress(), scene.s1);
      copying.close();
      try (PooledPinnedBuffer again = pool.acquire(MIB)) {
        assertEquals(address, again.getMemory().getAddress());
      }
      assertEquals(1, scene.backend.getDriverCalls().getCount("cuMemAllocHost"));
      assertEquals(1, pool.getHits());
    }
  }

  @Test
  @DisplayName("Misuse is refused, and a failing copy leaves the buffer as it was")
  void misuseIsRefused() {
    try (PoolScene scene = scene()) {
      PinnedPool pool = scene.closing(PinnedPool.create(scene.device));
      for (long bytes : new long[] {0, -1, Long.MAX_VALUE}) {
        assertThrows(InvalidArgumentException.class, () -> pool.acquire(bytes));
      }
      PooledPinnedBuffer buffer = pool.acquire(100);
      assertThrows(InvalidArgumentException.class, () -> buffer.getBytes(90, 11));
      assertThrows(InvalidArgumentException.class, () -> buffer.getBytes(-1, 1));
      scene.backend.getFaults().failNext("cuMemcpyHtoDAsync", Fault.UNKNOWN);
      try (var target = scene.allocator.allocate(512, scene.s1)) {
        assertThrows(
            DriverException.class, () -> buffer.copyToDevice(target.getAddress(), scene.s1));
      }
      buffer.close();
      buffer.close();
      assertThrows(ClosedException.class, buffer::getBytes);
      assertThrows(InvalidArgumentException.class, () -> pool.trim(-1));
    }
  }

  @Test
  @DisplayName("After close a held buffer still ends well, and nothing more is handed out")
  void buffersEndWellAfterClose() {
    try (PoolScene scene = scene()) {
      PinnedPool pool = PinnedPool.create(scene.device);
      PooledPinnedBuffer held = pool.acquire(4096);
      pool.acquire(8192).close();
      pool.close();
      assertThrows(ClosedException.class, () -> pool.acquire(1));
      assertEquals(4096, pool.getLockedBytes());
      held.close();
      assertEquals(0, pool.getLockedBytes());
    }
  }

  @Test
  @DisplayName("A device without page-locked memory is refused when the pool is made")
  void deviceWithoutPinnedMemoryIsRefused() {
    DeviceProfile plain =
        DeviceProfile.builder("plain")
            .from(DeviceProfile.SMALL_8GIB)
            .without(Capability.PINNED_HOST_MEMORY)
            .build();
    try (SimBackend backend = SimBackend.builder().device(plain).build()) {
      assertThrows(NotSupportedException.class, () -> PinnedPool.create(backend.getDevice(0)));
      assertEquals(List.of(), backend.getLeaks());
    }
  }
}
