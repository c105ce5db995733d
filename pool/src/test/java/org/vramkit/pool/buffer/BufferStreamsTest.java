package org.vramkit.pool.buffer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.pool.buffer.BufferUses.useOn;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.ElementType;
import org.vramkit.pool.AllocatorKind;
import org.vramkit.pool.PoolScene;
import org.vramkit.pool.streamordered.StreamOrderedPool;
import org.vramkit.pool.support.DriverStub;
import org.vramkit.pool.support.HandleStream;
import org.vramkit.sim.SimStream;

@DisplayName("Buffers and the streams that use them")
class BufferStreamsTest {
  @ParameterizedTest
  @EnumSource
  @DisplayName("S2.4 a stream gets only buffers that were allocated on it")
  void streamsGetTheirOwnBuffers(AllocatorKind kind) {
    try (PoolScene scene = new PoolScene(kind)) {
      BufferPool pool = scene.closing(BufferPool.create(scene.allocator));
      TypedBuffer first = pool.acquire(ElementType.INT64, 512, scene.s1);
      long address = first.getAddress();
      scene.work(scene.s1, address, first.getSize());
      first.close();
      try (TypedBuffer other = pool.acquire(ElementType.INT64, 512, scene.s2)) {
        assertNotEquals(address, other.getAddress());
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName(
      "S2.5 a buffer used on another stream comes back once that stream is done, not before")
  @Tag("virtual-time")
  void recordedUseKeepsTheBufferBack(AllocatorKind kind) {
    try (PoolScene scene = new PoolScene(kind)) {
      BufferPool pool = scene.closing(BufferPool.create(scene.allocator));
      TypedBuffer used = pool.acquire(ElementType.FLOAT32, 1000, scene.s1);
      long address = used.getAddress();
      useOn(scene, scene.s2, used);
      used.close();
      TypedBuffer meanwhile = pool.acquire(ElementType.FLOAT32, 1000, scene.s1);
      assertNotEquals(address, meanwhile.getAddress());
      scene.backend.advance(2 * PoolScene.WORK_NANOS);
      TypedBuffer later = pool.acquire(ElementType.FLOAT32, 1000, scene.s1);
      assertEquals(address, later.getAddress());
      scene.work(scene.s1, address, later.getSize());
      meanwhile.close();
      later.close();
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("17.7 a thousand buffers used on one stream cost one question while it is behind")
  @Tag("virtual-time")
  void streamBehindCostsOneQuestion(AllocatorKind kind) {
    try (PoolScene scene = new PoolScene(kind)) {
      BufferPool pool = scene.closing(BufferPool.create(scene.allocator));
      List<TypedBuffer> used = new ArrayList<>();
      for (int i = 0; i < 1000; i++) {
        used.add(pool.acquire(ElementType.INT8, 256, scene.s1));
      }
      useOn(scene, scene.s2, used.get(0));
      used.forEach(each -> each.recordUse(scene.s2));
      used.forEach(TypedBuffer::close);
      scene.backend.getDriverCalls().reset();
      pool.acquire(ElementType.INT16, 256, scene.s1).close();
      pool.acquire(ElementType.INT8, 256, scene.s1).close();
      long asked = scene.backend.getDriverCalls().getCount("cuEventQuery");
      assertTrue(asked <= 2 + 2, asked + " questions, of the pool and of the allocator");
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("S2 a user stream that is closed before the buffer is waited for by the device")
  void closedUserStreamIsWaitedFor(AllocatorKind kind) {
    try (PoolScene scene = new PoolScene(kind)) {
      BufferPool pool = scene.closing(BufferPool.create(scene.allocator));
      TypedBuffer used = pool.acquire(ElementType.INT8, 4096, scene.s1);
      SimStream brief = scene.device.createStream();
      useOn(scene, brief, used);
      brief.close();
      used.close();
      try (TypedBuffer next = pool.acquire(ElementType.INT8, 4096, scene.s1)) {
        scene.work(scene.s1, next.getAddress(), 4096);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("S2 buffers of streams that are closed do not pile up")
  void buffersOfClosedStreamsDoNotPileUp(AllocatorKind kind) {
    try (PoolScene scene = new PoolScene(kind)) {
      BufferPool pool = scene.closing(BufferPool.create(scene.allocator));
      for (int i = 0; i < 500; i++) {
        try (SimStream brief = scene.device.createStream();
            TypedBuffer buffer = pool.acquire(ElementType.INT8, 256, brief)) {
          scene.work(brief, buffer.getAddress(), 256);
        }
      }
      assertTrue(pool.getCachedBytes(0) <= 65 * 256, "cached " + pool.getCachedBytes(0));
    }
  }

  @Test
  @DisplayName("S2 a stream that got the handle of a closed one gets none of that one's buffers")
  void reusedHandleGetsNoOldBuffers() {
    DriverStub driver = new DriverStub();
    Allocator allocator = StreamOrderedPool.builder(driver.device).build();
    BufferPool pool = BufferPool.create(allocator);
    HandleStream closed = new HandleStream(driver.device, 7);
    pool.acquire(ElementType.INT8, 256, closed).close();
    HandleStream twin = new HandleStream(driver.device, 7);
    pool.acquire(ElementType.INT8, 256, twin).close();
    assertEquals(1, pool.getStatistics().hits(), "another object for the same stream");
    closed.close();
    twin.close();
    HandleStream next = new HandleStream(driver.device, 7);
    pool.acquire(ElementType.INT8, 256, next).close();
    assertEquals(1, pool.getStatistics().hits());
    assertEquals(256, pool.getCachedBytes(0));
    pool.close();
    assertEquals(0, allocator.getStatistics().allocations().current());
  }
}
