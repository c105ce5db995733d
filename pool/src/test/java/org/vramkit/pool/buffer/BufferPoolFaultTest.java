package org.vramkit.pool.buffer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.pool.buffer.BufferUses.useOn;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.vramkit.api.allocator.ElementType;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.DriverException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.AllocatorKind;
import org.vramkit.pool.PoolScene;
import org.vramkit.pool.RefusingAllocator;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.driver.Fault;

@DisplayName("Buffers where the driver or the allocator fails")
class BufferPoolFaultTest {
  @Test
  @DisplayName(
      "S2 if the free of one device fails, the buffers of the other devices are"
          + " returned nevertheless")
  void oneDevicesFailureLeavesOthers() {
    try (SimBackend backend =
        SimBackend.builder().device(DeviceProfile.H200).device(DeviceProfile.RTX_4090).build()) {
      var first = AllocatorKind.CACHING_ON_PAGES.create(backend.getDevice(0));
      var second = AllocatorKind.CACHING_ON_PAGES.create(backend.getDevice(1));
      RefusingAllocator refusing = new RefusingAllocator(first);
      BufferPool pool = BufferPool.builder(List.of(refusing, second)).build();
      pool.acquire(ElementType.INT8, 256, backend.getDevice(0).getDefaultStream()).close();
      pool.acquire(ElementType.INT8, 256, backend.getDevice(1).getDefaultStream()).close();
      refusing.refuseFrees(1);
      assertThrows(DriverException.class, pool::close);
      assertEquals(0, pool.getCachedBytes(1));
      first.close();
      second.close();
      assertEquals(List.of(), backend.getLeaks());
      assertEquals(List.of(), backend.getHazards());
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("S2 a use that cannot be marked costs the close no wait, and is asked for later")
  @Tag("virtual-time")
  void useWithoutMarkIsAskedForLater(AllocatorKind kind) {
    try (PoolScene scene = new PoolScene(kind)) {
      BufferPool pool = scene.closing(BufferPool.create(scene.allocator));
      TypedBuffer used = pool.acquire(ElementType.INT8, 256, scene.s1);
      useOn(scene, scene.s2, used);
      scene.backend.getFaults().failNext("cuEventRecord", Fault.UNKNOWN);
      long address = used.getAddress();
      used.close();
      assertEquals(0, scene.backend.getTimeNanos() / PoolScene.WORK_NANOS, "the host waited");
      assertEquals(256, pool.getCachedBytes(0));
      try (TypedBuffer other = pool.acquire(ElementType.INT8, 256, scene.s1)) {
        assertNotEquals(address, other.getAddress(), "the other stream still uses it");
        scene.device.synchronize();
        try (TypedBuffer again = pool.acquire(ElementType.INT8, 256, scene.s1)) {
          assertEquals(address, again.getAddress());
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("S2 if one free fails, the rest of the cache is returned nevertheless")
  void oneFailingFreeLeavesTheRest(AllocatorKind kind) {
    try (PoolScene scene = new PoolScene(kind)) {
      BufferPool pool = scene.closing(BufferPool.create(scene.refusing));
      for (int i = 1; i <= 4; i++) {
        pool.acquire(ElementType.INT8, i * 256L, scene.s1).close();
      }
      scene.refusing.refuseFrees(2);
      DriverException e = assertThrows(DriverException.class, pool::emptyCache);
      assertEquals(1, e.getSuppressed().length);
      assertEquals(0, pool.getCachedBytes(0));
      assertEquals(0, scene.allocator.getStatistics().allocations().current());
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("S2 a failing fill is what is thrown, also when giving the buffer back fails too")
  void failingFillIsThrown(AllocatorKind kind) {
    try (PoolScene scene = new PoolScene(kind)) {
      BufferPool pool =
          scene.closing(BufferPool.builder(List.of(scene.refusing)).byteBudget(0).build());
      scene.backend.getFaults().failNext("cuMemsetD8Async", Fault.UNKNOWN);
      scene.refusing.refuseFrees(1);
      DriverException e =
          assertThrows(
              DriverException.class, () -> pool.acquireZeroed(ElementType.INT8, 256, scene.s1));
      assertTrue(e.toString().contains("cuMemsetD8Async"), e.toString());
      assertEquals(1, e.getSuppressed().length);
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("S2 a free that fails when memory has run out tells that as well")
  void failingFreeIsToldWhenOutOfMemory(AllocatorKind kind) {
    try (PoolScene scene = new PoolScene(kind)) {
      BufferPool pool = scene.closing(BufferPool.create(scene.refusing));
      pool.acquire(ElementType.INT8, 5 * ByteSize.GIB, scene.s1).close();
      scene.refusing.refuseFrees(1);
      DriverException e =
          assertThrows(
              DriverException.class,
              () -> pool.acquire(ElementType.INT8, 6 * ByteSize.GIB, scene.s1));
      assertInstanceOf(DeviceOutOfMemoryException.class, e.getSuppressed()[0]);
      pool.acquire(ElementType.INT8, 6 * ByteSize.GIB, scene.s1).close();
    }
  }

  @Tag("virtual-time")
  @ParameterizedTest
  @EnumSource
  @DisplayName("S2 a use that the allocator refuses is waited for before the buffer goes back")
  void refusedUseIsWaitedFor(AllocatorKind kind) {
    try (PoolScene scene = new PoolScene(kind)) {
      BufferPool pool = scene.closing(BufferPool.create(scene.refusing));
      TypedBuffer used = pool.acquire(ElementType.INT8, 4096, scene.s1);
      useOn(scene, scene.s2, used);
      used.close();
      scene.refusing.refuseUses(1);
      pool.emptyCache();
      assertEquals(1, scene.backend.getTimeNanos() / PoolScene.WORK_NANOS, "the host waits");
      assertEquals(0, scene.allocator.getStatistics().allocations().current());
    }
  }

  @Tag("virtual-time")
  @ParameterizedTest
  @EnumSource
  @DisplayName("S2 a buffer whose use can neither be passed on nor waited for stays in the cache")
  void bufferWithoutWaitStays(AllocatorKind kind) {
    try (PoolScene scene = new PoolScene(kind)) {
      BufferPool pool = scene.closing(BufferPool.create(scene.refusing));
      pool.acquire(ElementType.INT8, 256, scene.s1).close();
      TypedBuffer used = pool.acquire(ElementType.INT8, 4096, scene.s1);
      useOn(scene, scene.s2, used);
      used.close();
      scene.refusing.refuseUses(1);
      scene.backend.getFaults().failNext("cuEventSynchronize", Fault.UNKNOWN);
      assertThrows(DriverException.class, pool::emptyCache);
      assertEquals(4096, pool.getCachedBytes(0));
      pool.emptyCache();
      assertEquals(0, pool.getCachedBytes(0));
    }
  }
}
