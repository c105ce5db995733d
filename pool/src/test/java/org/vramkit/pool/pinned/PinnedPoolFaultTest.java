package org.vramkit.pool.pinned;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.api.units.ByteSize.MIB;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.DriverException;
import org.vramkit.pool.AllocatorKind;
import org.vramkit.pool.PoolScene;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.driver.Fault;
import org.vramkit.sim.hazard.Leak;
import org.vramkit.sim.hazard.LeakKind;

@DisplayName("Page-locked host buffers where the driver fails")
class PinnedPoolFaultTest {
  private static PoolScene scene() {
    return new PoolScene(AllocatorKind.CACHING_ON_PAGES);
  }

  private boolean isPinned(Leak leak) {
    return leak.kind() == LeakKind.PINNED_BUFFER;
  }

  @Test
  @DisplayName("A close that cannot wait for one stream gives the rest back, and may be repeated")
  void closeGivesTheRestBack() {
    try (PoolScene scene = scene()) {
      PinnedPool pool = PinnedPool.create(scene.device);
      pool.acquire(4 * MIB).close();
      for (SimStream stream : List.of(scene.s1, scene.s2)) {
        try (var target = scene.allocator.allocate(MIB, stream);
            PooledPinnedBuffer copying = pool.acquire(MIB)) {
          scene.work(stream, target.getAddress(), MIB);
          copying.copyToDevice(target.getAddress(), stream);
        }
      }
      scene.backend.getFaults().failNext("cuEventSynchronize", Fault.UNKNOWN);
      assertThrows(DriverException.class, pool::close);
      assertEquals(MIB, pool.getLockedBytes());
      pool.close();
      assertEquals(0, pool.getLockedBytes());
    }
  }

  @Test
  @DisplayName("A wait that fails loses no buffer")
  @Tag("virtual-time")
  void failingWaitLosesNoBuffer() {
    try (PoolScene scene = scene();
        var target = scene.allocator.allocate(MIB, scene.s1)) {
      PinnedPool pool = scene.closing(PinnedPool.builder(scene.device).byteLimit(MIB).build());
      PooledPinnedBuffer copying = pool.acquire(MIB);
      scene.work(scene.s1, target.getAddress(), MIB);
      copying.copyToDevice(target.getAddress(), scene.s1);
      copying.close();
      scene.backend.getFaults().failNext("cuEventSynchronize", Fault.UNKNOWN);
      assertThrows(DriverException.class, () -> pool.acquire(MIB / 2));
      assertEquals(MIB, pool.getLockedBytes());
      pool.acquire(MIB / 2).close();
      assertEquals(MIB / 2, pool.getLockedBytes());
    }
  }

  @Test
  @DisplayName("A copy that cannot be marked costs the close no wait, and is asked for later")
  @Tag("virtual-time")
  void copyWithoutMarkIsAskedForLater() {
    try (PoolScene scene = scene();
        var target = scene.allocator.allocate(MIB, scene.s1)) {
      PinnedPool pool = scene.closing(PinnedPool.create(scene.device));
      PooledPinnedBuffer copying = pool.acquire(MIB);
      long address = copying.getMemory().getAddress();
      scene.work(scene.s1, target.getAddress(), MIB);
      copying.copyToDevice(target.getAddress(), scene.s1);
      scene.backend.getFaults().failNext("cuEventRecord", Fault.UNKNOWN);
      copying.close();
      assertEquals(0, scene.backend.getTimeNanos() / PoolScene.WORK_NANOS, "the host waited");
      try (PooledPinnedBuffer other = pool.acquire(MIB)) {
        assertNotEquals(address, other.getMemory().getAddress(), "the copy is still under way");
        assertEquals(2 * MIB, pool.getLockedBytes());
        scene.device.synchronize();
        try (PooledPinnedBuffer again = pool.acquire(MIB)) {
          assertEquals(address, again.getMemory().getAddress());
        }
      }
    }
  }

  @Test
  @DisplayName("A host without memory gets everything free back before a request fails")
  void hostWithoutMemoryGetsFreeOnesBack() {
    try (PoolScene scene = scene()) {
      PinnedPool pool = scene.closing(PinnedPool.create(scene.device));
      pool.acquire(MIB).close();
      scene.backend.getFaults().failNext("cuMemAllocHost", Fault.OUT_OF_MEMORY);
      pool.acquire(2 * MIB).close();
      assertEquals(2 * MIB, pool.getLockedBytes());
      scene.backend.getFaults().failEvery("cuMemAllocHost", Fault.OUT_OF_MEMORY);
      DeviceOutOfMemoryException refused =
          assertThrows(DeviceOutOfMemoryException.class, () -> pool.acquire(3 * MIB));
      assertTrue(refused.toString().contains("no limit; ask for less"), refused::toString);
      scene.backend.getFaults().clear();
      assertEquals(0, pool.getLockedBytes());
    }
  }

  @Test
  @DisplayName(
      "When the host refuses to take one buffer back the others go back, and all is counted")
  void oneFailingReleaseLeavesTheRest() {
    try (PoolScene scene = scene()) {
      PinnedPool pool = scene.closing(PinnedPool.create(scene.device));
      for (int i = 1; i <= 4; i++) {
        pool.acquire(i * MIB).close();
      }
      scene.backend.getFaults().failNth("cuMemFreeHost", 2, Fault.UNKNOWN);
      scene.backend.getFaults().failNth("cuMemFreeHost", 3, Fault.UNKNOWN);
      DriverException e = assertThrows(DriverException.class, () -> pool.trim(0));
      assertEquals(1, e.getSuppressed().length);
      assertEquals(0, pool.getLockedBytes());
      assertEquals(List.of(), scene.backend.getLeaks().stream().filter(this::isPinned).toList());
    }
  }

  @Test
  @DisplayName("A stream that is closed with its copy under way is waited for")
  void closedStreamIsWaitedFor() {
    try (PoolScene scene = scene();
        var target = scene.allocator.allocate(MIB, scene.s1)) {
      PinnedPool pool = scene.closing(PinnedPool.create(scene.device));
      PooledPinnedBuffer buffer = pool.acquire(MIB);
      SimStream brief = scene.device.createStream();
      scene.s1.synchronize();
      buffer.copyToDevice(target.getAddress(), brief);
      brief.close();
      buffer.close();
      try (PooledPinnedBuffer again = pool.acquire(MIB)) {
        again.getBytes().put(0, (byte) 1);
      }
      scene.device.synchronize();
    }
  }
}
