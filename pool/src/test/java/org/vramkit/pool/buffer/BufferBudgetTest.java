package org.vramkit.pool.buffer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.pool.buffer.BufferUses.useOn;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.vramkit.api.allocator.ElementType;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.AllocatorKind;
import org.vramkit.pool.PoolScene;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;

@DisplayName("Cached buffers, and their return")
class BufferBudgetTest {
  @Test
  @DisplayName("S2.7, defects: emptying one device leaves the others' buffers and bytes alone")
  void emptyingOneDeviceLeavesOthers() {
    try (SimBackend backend =
        SimBackend.builder().device(DeviceProfile.H200).device(DeviceProfile.RTX_4090).build()) {
      var first = AllocatorKind.CACHING_ON_PAGES.create(backend.getDevice(0));
      var second = AllocatorKind.CACHING_ON_PAGES.create(backend.getDevice(1));
      BufferPoolBuilder both = BufferPool.builder(List.of(first, second));
      BufferPool pool = both.build();
      pool.acquire(ElementType.INT8, 256, backend.getDevice(0).getDefaultStream()).close();
      pool.acquire(ElementType.INT64, 256, backend.getDevice(1).getDefaultStream()).close();
      assertEquals(256, pool.getCachedBytes(0));
      assertEquals(2048, pool.getCachedBytes(1));
      pool.emptyCache(0);
      assertEquals(0, pool.getCachedBytes(0));
      assertEquals(2048, pool.getCachedBytes(1));
      InvalidArgumentException e =
          assertThrows(InvalidArgumentException.class, () -> pool.getCachedBytes(7));
      assertTrue(e.toString().contains("[0, 1]"), e.toString());
      pool.emptyCache();
      assertEquals(0, pool.getCachedBytes(1));
      pool.close();
      first.close();
      second.close();
      assertEquals(List.of(), backend.getLeaks());
      assertEquals(List.of(), backend.getHazards());
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("S2 a buffer that is still used elsewhere can be emptied out; the allocator waits")
  void bufferInUseCanBeEmptied(AllocatorKind kind) {
    try (PoolScene scene = new PoolScene(kind)) {
      BufferPool pool = scene.closing(BufferPool.create(scene.allocator));
      TypedBuffer used = pool.acquire(ElementType.INT8, 4096, scene.s1);
      useOn(scene, scene.s2, used);
      used.close();
      assertEquals(4096, pool.getCachedBytes(0));
      pool.emptyCache(0);
      assertEquals(0, pool.getCachedBytes(0));
      try (TypedBuffer next = pool.acquire(ElementType.INT8, 4096, scene.s1)) {
        scene.work(scene.s1, next.getAddress(), 4096);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("S2 when memory runs out the device's cache goes back first")
  void outOfMemoryEmptiesTheCacheFirst(AllocatorKind kind) {
    try (PoolScene scene = new PoolScene(kind)) {
      BufferPool pool = scene.closing(BufferPool.create(scene.allocator));
      pool.acquire(ElementType.INT8, 5 * ByteSize.GIB, scene.s1).close();
      pool.acquire(ElementType.INT16, 3 * ByteSize.GIB, scene.s1).close();
      assertThrows(
          DeviceOutOfMemoryException.class,
          () -> pool.acquire(ElementType.INT8, 9 * ByteSize.GIB, scene.s1));
      assertEquals(0, pool.getCachedBytes(0));
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("S2 over its byte budget a device gives the least recently used buffers back")
  void budgetEvictsTheLeastRecent(AllocatorKind kind) {
    try (PoolScene scene = new PoolScene(kind)) {
      BufferPool pool =
          scene.closing(BufferPool.builder(List.of(scene.allocator)).byteBudget(1024).build());
      pool.acquire(ElementType.INT8, 512, scene.s1).close();
      pool.acquire(ElementType.INT8, 256, scene.s1).close();
      pool.acquire(ElementType.INT8, 512, scene.s1).close();
      pool.acquire(ElementType.INT8, 768, scene.s1).close();
      assertEquals(768, pool.getCachedBytes(0));
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("17.25 a buffer beyond the whole budget goes back at once and drives no other out")
  void bufferBeyondTheBudgetGoesBack(AllocatorKind kind) {
    try (PoolScene scene = new PoolScene(kind)) {
      BufferPool pool =
          scene.closing(BufferPool.builder(List.of(scene.allocator)).byteBudget(1024).build());
      pool.acquire(ElementType.INT8, 512, scene.s1).close();
      pool.acquire(ElementType.INT8, 2048, scene.s1).close();
      TypedBuffer used = pool.acquire(ElementType.INT8, 2048, scene.s1);
      useOn(scene, scene.s2, used);
      used.close();
      assertEquals(512, pool.getCachedBytes(0));
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("S2 the byte budget holds for buffers that other streams still use as well")
  void budgetHoldsForBuffersInUse(AllocatorKind kind) {
    try (PoolScene scene = new PoolScene(kind)) {
      BufferPool pool =
          scene.closing(BufferPool.builder(List.of(scene.allocator)).byteBudget(1024).build());
      List<TypedBuffer> used = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        used.add(pool.acquire(ElementType.INT8, 512, scene.s1));
        useOn(scene, scene.s2, used.get(i));
      }
      TypedBuffer plain = pool.acquire(ElementType.INT8, 256, scene.s1);
      long youngest = used.get(2).getAddress();
      plain.close();
      used.get(0).close();
      assertEquals(768, pool.getCachedBytes(0));
      used.get(1).close();
      assertEquals(1024, pool.getCachedBytes(0), "the free one made room");
      used.get(2).close();
      assertEquals(1024, pool.getCachedBytes(0), "the oldest in use made room");
      scene.device.synchronize();
      List<TypedBuffer> settled = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        settled.add(pool.acquire(ElementType.INT8, 512, scene.s1));
      }
      assertEquals(youngest, settled.get(0).getAddress());
      assertEquals(2, pool.getStatistics().hits());
      settled.forEach(TypedBuffer::close);
      assertEquals(1024, pool.getCachedBytes(0));
    }
  }
}
