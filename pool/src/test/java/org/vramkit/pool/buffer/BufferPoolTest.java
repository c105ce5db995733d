package org.vramkit.pool.buffer;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.Mockito.when;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.ElementType;
import org.vramkit.api.device.Event;
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
import org.vramkit.sim.SimEvent;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.driver.Fault;

@DisplayName("S2: the typed buffer pool")
class BufferPoolTest {

  /** Lets another stream work on a buffer of s1, in order. */
  private static void useOn(PoolScene scene, SimStream stream, TypedBuffer buffer) {
    try (SimEvent event = scene.device.createEvent()) {
      event.record(scene.s1);
      stream.waitFor(event);
    }
    scene.work(stream, buffer.getAddress(), buffer.getSize());
    buffer.recordUse(stream);
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("S2.1 two types of one width never share a buffer, nor do two rounded counts")
  void keys(AllocatorKind kind) {
    try (PoolScene scene = new PoolScene(kind)) {
      BufferPool pool = scene.closing(BufferPool.create(scene.allocator));
      pool.take(ElementType.FLOAT32, 256, scene.s1).close();
      pool.take(ElementType.INT32, 256, scene.s1).close();
      pool.take(ElementType.FLOAT32, 257, scene.s1).close();
      assertEquals(new BufferStatistics(0, 3, 3), pool.getStatistics());
      pool.take(ElementType.FLOAT32, 1, scene.s1).close();
      assertEquals(new BufferStatistics(1, 3, 4), pool.getStatistics());
    }
  }

  @ParameterizedTest(name = "{0} elements: {1}")
  @CsvSource({
    "0, 0",
    "1, 256",
    "255, 256",
    "256, 256",
    "257, 512",
    "9223372036854775807, 9223372036854775552"
  })
  @DisplayName("S2.2 counts are rounded up to multiples of 256, and saturate")
  void rounding(long count, long rounded) {
    assertEquals(rounded, BufferKey.roundUp(count));
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("S2.3 a hit takes the newest buffer without a driver call, zeroed with one fill")
  void hit(AllocatorKind kind) {
    try (PoolScene scene = new PoolScene(kind)) {
      BufferPool pool = scene.closing(BufferPool.create(scene.allocator));
      TypedBuffer older = pool.take(ElementType.INT8, 1000, scene.s1);
      TypedBuffer newer = pool.take(ElementType.INT8, 1000, scene.s1);
      long address = newer.getAddress();
      newer.slice(0, 3).copyFrom(new byte[] {1, 2, 3});
      older.close();
      newer.close();
      scene.driverCalls();
      TypedBuffer again = pool.take(ElementType.INT8, 900, scene.s1);
      assertEquals(address, again.getAddress());
      assertEquals(0, scene.driverCalls());
      again.close();
      TypedBuffer zeroed = pool.takeZeroed(ElementType.INT8, 900, scene.s1);
      assertEquals(1, scene.backend.getDriverCalls().getCount("cuMemsetD8Async"));
      assertEquals(1, scene.driverCalls());
      byte[] bytes = {9, 9, 9};
      zeroed.copyTo(bytes);
      assertArrayEquals(new byte[3], bytes);
      zeroed.close();
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("S2.4 a stream gets only buffers that were allocated on it")
  void streams(AllocatorKind kind) {
    try (PoolScene scene = new PoolScene(kind)) {
      BufferPool pool = scene.closing(BufferPool.create(scene.allocator));
      TypedBuffer first = pool.take(ElementType.INT64, 512, scene.s1);
      long address = first.getAddress();
      scene.work(scene.s1, address, first.getSize());
      first.close();
      try (TypedBuffer other = pool.take(ElementType.INT64, 512, scene.s2)) {
        assertNotEquals(address, other.getAddress());
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName(
      "S2.5 a buffer used on another stream comes back once that stream is done, not before")
  @Tag("virtual-time")
  void recordedUse(AllocatorKind kind) {
    try (PoolScene scene = new PoolScene(kind)) {
      BufferPool pool = scene.closing(BufferPool.create(scene.allocator));
      TypedBuffer used = pool.take(ElementType.FLOAT32, 1000, scene.s1);
      long address = used.getAddress();
      useOn(scene, scene.s2, used);
      used.close();
      TypedBuffer meanwhile = pool.take(ElementType.FLOAT32, 1000, scene.s1);
      assertNotEquals(address, meanwhile.getAddress());
      scene.backend.advance(2 * PoolScene.WORK_NANOS);
      TypedBuffer later = pool.take(ElementType.FLOAT32, 1000, scene.s1);
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
  void oneQuestion(AllocatorKind kind) {
    try (PoolScene scene = new PoolScene(kind)) {
      BufferPool pool = scene.closing(BufferPool.create(scene.allocator));
      List<TypedBuffer> used = new ArrayList<>();
      for (int i = 0; i < 1000; i++) {
        used.add(pool.take(ElementType.INT8, 256, scene.s1));
      }
      useOn(scene, scene.s2, used.get(0));
      used.forEach(each -> each.recordUse(scene.s2));
      used.forEach(TypedBuffer::close);
      scene.backend.getDriverCalls().reset();
      pool.take(ElementType.INT16, 256, scene.s1).close();
      pool.take(ElementType.INT8, 256, scene.s1).close();
      long asked = scene.backend.getDriverCalls().getCount("cuEventQuery");
      assertTrue(asked <= 2 + 2, asked + " questions, of the pool and of the allocator");
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("S2 defect: recorded uses are cleared, so the buffer is reused like any other again")
  void usesAreForgotten(AllocatorKind kind) {
    try (PoolScene scene = new PoolScene(kind)) {
      BufferPool pool = scene.closing(BufferPool.create(scene.allocator));
      TypedBuffer used = pool.take(ElementType.INT8, 256, scene.s1);
      useOn(scene, scene.s2, used);
      used.close();
      scene.backend.advance(2 * PoolScene.WORK_NANOS);
      pool.take(ElementType.INT8, 256, scene.s1).close();
      scene.driverCalls();
      pool.take(ElementType.INT8, 256, scene.s1).close();
      assertEquals(0, scene.driverCalls());
      assertEquals(new BufferStatistics(2, 1, 3), pool.getStatistics());
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("S2 defect: recording marks the one buffer, not all of its key")
  void marksOneBuffer(AllocatorKind kind) {
    try (PoolScene scene = new PoolScene(kind)) {
      BufferPool pool = scene.closing(BufferPool.create(scene.allocator));
      TypedBuffer plain = pool.take(ElementType.INT8, 256, scene.s1);
      TypedBuffer used = pool.take(ElementType.INT8, 256, scene.s1);
      long address = plain.getAddress();
      useOn(scene, scene.s2, used);
      plain.close();
      used.close();
      try (TypedBuffer again = pool.take(ElementType.INT8, 256, scene.s1)) {
        assertEquals(address, again.getAddress());
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("S2.6, defect: hits, misses and returns are counted, and can be reset")
  void counters(AllocatorKind kind) {
    try (PoolScene scene = new PoolScene(kind)) {
      BufferPool pool = scene.closing(BufferPool.create(scene.allocator));
      TypedBuffer held = pool.take(ElementType.INT16, 300, scene.s1);
      assertEquals(new BufferStatistics(0, 1, 0), pool.getStatistics());
      assertEquals(0, pool.getCachedBytes(0));
      held.close();
      held.close();
      assertEquals(new BufferStatistics(0, 1, 1), pool.getStatistics(0));
      assertEquals(1024, pool.getCachedBytes(0));
      pool.resetStatistics();
      assertEquals(BufferStatistics.ZERO, pool.getStatistics());
      assertEquals(1024, pool.getCachedBytes(0));
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("17.26 a buffer that is wanted only if it is there is never allocated")
  void tryTake(AllocatorKind kind) {
    try (PoolScene scene = new PoolScene(kind)) {
      BufferPool pool = scene.closing(BufferPool.create(scene.allocator));
      assertNull(pool.tryTake(ElementType.INT8, 300, scene.s1));
      TypedBuffer first = pool.take(ElementType.INT8, 300, scene.s1);
      long address = first.getAddress();
      first.close();
      assertNull(pool.tryTake(ElementType.INT8, 300, scene.s2));
      assertNull(pool.tryTake(ElementType.INT8, 600, scene.s1));
      try (TypedBuffer there = requireNonNull(pool.tryTake(ElementType.INT8, 290, scene.s1))) {
        assertEquals(address, there.getAddress());
        assertEquals(290, there.getCount());
        assertNull(pool.tryTake(ElementType.INT8, 300, scene.s1));
      }
      assertEquals(new BufferStatistics(1, 1, 2), pool.getStatistics());
      assertThrows(
          InvalidArgumentException.class, () -> pool.tryTake(ElementType.INT8, 0, scene.s1));
      pool.close();
      assertThrows(ClosedException.class, () -> pool.tryTake(ElementType.INT8, 300, scene.s1));
    }
  }

  @Test
  @DisplayName("S2.7, defects: emptying one device leaves the others' buffers and bytes alone")
  void emptyOneDevice() {
    try (SimBackend backend =
        SimBackend.builder().device(DeviceProfile.H200).device(DeviceProfile.RTX_4090).build()) {
      var first = AllocatorKind.CACHING_ON_PAGES.create(backend.getDevice(0));
      var second = AllocatorKind.CACHING_ON_PAGES.create(backend.getDevice(1));
      BufferPool pool = BufferPool.builder(List.of(first, second)).build();
      pool.take(ElementType.INT8, 256, backend.getDevice(0).getDefaultStream()).close();
      pool.take(ElementType.INT64, 256, backend.getDevice(1).getDefaultStream()).close();
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

  @Test
  @DisplayName("S2 when one device's free fails the other devices' buffers go back all the same")
  void failingDevice() {
    try (SimBackend backend =
        SimBackend.builder().device(DeviceProfile.H200).device(DeviceProfile.RTX_4090).build()) {
      var first = AllocatorKind.CACHING_ON_PAGES.create(backend.getDevice(0));
      var second = AllocatorKind.CACHING_ON_PAGES.create(backend.getDevice(1));
      RefusingAllocator refusing = new RefusingAllocator(first);
      BufferPool pool = BufferPool.builder(List.of(refusing, second)).build();
      pool.take(ElementType.INT8, 256, backend.getDevice(0).getDefaultStream()).close();
      pool.take(ElementType.INT8, 256, backend.getDevice(1).getDefaultStream()).close();
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
  @DisplayName("S2 a buffer that is still used elsewhere can be emptied out; the allocator waits")
  void emptiedWhileInUse(AllocatorKind kind) {
    try (PoolScene scene = new PoolScene(kind)) {
      BufferPool pool = scene.closing(BufferPool.create(scene.allocator));
      TypedBuffer used = pool.take(ElementType.INT8, 4096, scene.s1);
      useOn(scene, scene.s2, used);
      used.close();
      assertEquals(4096, pool.getCachedBytes(0));
      pool.emptyCache(0);
      assertEquals(0, pool.getCachedBytes(0));
      try (TypedBuffer next = pool.take(ElementType.INT8, 4096, scene.s1)) {
        scene.work(scene.s1, next.getAddress(), 4096);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("S2 a user stream that is closed before the buffer is waited for by the device")
  void closedUser(AllocatorKind kind) {
    try (PoolScene scene = new PoolScene(kind)) {
      BufferPool pool = scene.closing(BufferPool.create(scene.allocator));
      TypedBuffer used = pool.take(ElementType.INT8, 4096, scene.s1);
      SimStream brief = scene.device.createStream();
      useOn(scene, brief, used);
      brief.close();
      used.close();
      try (TypedBuffer next = pool.take(ElementType.INT8, 4096, scene.s1)) {
        scene.work(scene.s1, next.getAddress(), 4096);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("S2 buffers of streams that are closed do not pile up")
  void streamsComeAndGo(AllocatorKind kind) {
    try (PoolScene scene = new PoolScene(kind)) {
      BufferPool pool = scene.closing(BufferPool.create(scene.allocator));
      for (int i = 0; i < 500; i++) {
        try (SimStream brief = scene.device.createStream();
            TypedBuffer buffer = pool.take(ElementType.INT8, 256, brief)) {
          scene.work(brief, buffer.getAddress(), 256);
        }
      }
      assertTrue(pool.getCachedBytes(0) <= 65 * 256, "cached " + pool.getCachedBytes(0));
    }
  }

  @Test
  @DisplayName("S2 a stream that got the handle of a closed one gets none of that one's buffers")
  void reusedHandle() {
    DriverStub driver = new DriverStub();
    Allocator allocator = StreamOrderedPool.builder(driver.device).build();
    BufferPool pool = BufferPool.create(allocator);
    HandleStream closed = new HandleStream(driver.device, 7);
    pool.take(ElementType.INT8, 256, closed).close();
    HandleStream twin = new HandleStream(driver.device, 7);
    pool.take(ElementType.INT8, 256, twin).close();
    assertEquals(1, pool.getStatistics().hits(), "another object for the same stream");
    closed.close();
    twin.close();
    HandleStream next = new HandleStream(driver.device, 7);
    pool.take(ElementType.INT8, 256, next).close();
    assertEquals(1, pool.getStatistics().hits());
    assertEquals(256, pool.getCachedBytes(0));
    pool.close();
    assertEquals(0, allocator.getStatistics().allocations().current());
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("S2 arrays of every kind go to the device and come back, also in several pieces")
  void arrays(AllocatorKind kind) {
    try (PoolScene scene = new PoolScene(kind)) {
      BufferPool pool = scene.closing(BufferPool.create(scene.allocator));
      int many = 3_000_000;
      int[] large = new SplittableRandom(3).ints(many).toArray();
      try (TypedBuffer buffer = pool.take(ElementType.INT32, many, scene.s1)) {
        buffer.copyFrom(large);
        int[] back = new int[many];
        buffer.copyTo(back);
        assertArrayEquals(large, back);
      }
      try (TypedBuffer buffer = pool.take(ElementType.FLOAT64, 2, scene.s1)) {
        buffer.copyFrom(new double[] {Math.PI, -0.0});
        double[] back = new double[2];
        buffer.copyTo(back);
        assertArrayEquals(new double[] {Math.PI, -0.0}, back);
      }
      try (TypedBuffer buffer = pool.take(ElementType.FLOAT32, 2, scene.s1)) {
        buffer.copyFrom(new float[] {1.5f, Float.NaN});
        float[] back = new float[2];
        buffer.copyTo(back);
        assertArrayEquals(new float[] {1.5f, Float.NaN}, back);
      }
      try (TypedBuffer buffer = pool.take(ElementType.INT64, 2, scene.s1)) {
        buffer.copyFrom(new long[] {Long.MIN_VALUE, 7});
        long[] back = new long[2];
        buffer.copyTo(back);
        assertArrayEquals(new long[] {Long.MIN_VALUE, 7}, back);
      }
      try (TypedBuffer buffer = pool.take(ElementType.BFLOAT16, 2, scene.s1)) {
        buffer.copyFrom(new short[] {0x3fc0, -1});
        short[] back = new short[2];
        buffer.copyTo(back);
        assertArrayEquals(new short[] {0x3fc0, -1}, back);
      }
    }
  }

  @Test
  @DisplayName("S2 misuse is refused with what was wanted and what was found")
  void misuse() {
    try (PoolScene scene = new PoolScene(AllocatorKind.CACHING_ON_PAGES)) {
      BufferPool pool = scene.closing(BufferPool.create(scene.allocator));
      assertThrows(InvalidArgumentException.class, () -> pool.take(ElementType.INT8, -1, scene.s1));
      assertThrows(
          InvalidArgumentException.class,
          () -> pool.take(ElementType.INT64, Long.MAX_VALUE, scene.s1));
      TypedBuffer buffer = pool.take(ElementType.FLOAT32, 2, scene.s1);
      InvalidArgumentException type =
          assertThrows(InvalidArgumentException.class, () -> buffer.copyFrom(new int[2]));
      assertTrue(type.toString().contains("FLOAT32") && type.toString().contains("int[]"));
      InvalidArgumentException room =
          assertThrows(InvalidArgumentException.class, () -> buffer.copyFrom(new float[3]));
      assertTrue(room.toString().contains("12") && room.toString().contains("8"));
      buffer.close();
      assertThrows(ClosedException.class, () -> buffer.copyFrom(new float[2]));
      assertThrows(ClosedException.class, buffer::getAddress);
      try (TypedBuffer empty = pool.takeZeroed(ElementType.INT8, 0, scene.s1)) {
        assertEquals(0, empty.getAddress());
      }
      assertThrows(
          InvalidArgumentException.class,
          () -> BufferPool.builder(List.of(scene.allocator, scene.allocator)));
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("S2 when memory runs out the device's cache goes back first")
  void outOfMemory(AllocatorKind kind) {
    try (PoolScene scene = new PoolScene(kind)) {
      BufferPool pool = scene.closing(BufferPool.create(scene.allocator));
      pool.take(ElementType.INT8, 5 * ByteSize.GIB, scene.s1).close();
      pool.take(ElementType.INT16, 3 * ByteSize.GIB, scene.s1).close();
      assertThrows(
          DeviceOutOfMemoryException.class,
          () -> pool.take(ElementType.INT8, 9 * ByteSize.GIB, scene.s1));
      assertEquals(0, pool.getCachedBytes(0));
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("S2 over its byte budget a device gives the least recently used buffers back")
  void budget(AllocatorKind kind) {
    try (PoolScene scene = new PoolScene(kind)) {
      BufferPool pool =
          scene.closing(BufferPool.builder(List.of(scene.allocator)).byteBudget(1024).build());
      pool.take(ElementType.INT8, 512, scene.s1).close();
      pool.take(ElementType.INT8, 256, scene.s1).close();
      pool.take(ElementType.INT8, 512, scene.s1).close();
      pool.take(ElementType.INT8, 768, scene.s1).close();
      assertEquals(768, pool.getCachedBytes(0));
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("17.25 a buffer beyond the whole budget goes back at once and drives no other out")
  void beyondTheBudget(AllocatorKind kind) {
    try (PoolScene scene = new PoolScene(kind)) {
      BufferPool pool =
          scene.closing(BufferPool.builder(List.of(scene.allocator)).byteBudget(1024).build());
      pool.take(ElementType.INT8, 512, scene.s1).close();
      pool.take(ElementType.INT8, 2048, scene.s1).close();
      TypedBuffer used = pool.take(ElementType.INT8, 2048, scene.s1);
      useOn(scene, scene.s2, used);
      used.close();
      assertEquals(512, pool.getCachedBytes(0));
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("S2 the byte budget holds for buffers that other streams still use as well")
  void budgetWhileInUse(AllocatorKind kind) {
    try (PoolScene scene = new PoolScene(kind)) {
      BufferPool pool =
          scene.closing(BufferPool.builder(List.of(scene.allocator)).byteBudget(1024).build());
      List<TypedBuffer> used = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        used.add(pool.take(ElementType.INT8, 512, scene.s1));
        useOn(scene, scene.s2, used.get(i));
      }
      TypedBuffer plain = pool.take(ElementType.INT8, 256, scene.s1);
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
        settled.add(pool.take(ElementType.INT8, 512, scene.s1));
      }
      assertEquals(youngest, settled.get(0).getAddress());
      assertEquals(2, pool.getStatistics().hits());
      settled.forEach(TypedBuffer::close);
      assertEquals(1024, pool.getCachedBytes(0));
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("S2 where a use cannot be marked the device is waited for instead")
  void failingMark(AllocatorKind kind) {
    try (PoolScene scene = new PoolScene(kind)) {
      BufferPool pool = scene.closing(BufferPool.create(scene.allocator));
      TypedBuffer used = pool.take(ElementType.INT8, 256, scene.s1);
      useOn(scene, scene.s2, used);
      scene.backend.getFaults().failNext("cuEventRecord", Fault.UNKNOWN);
      used.close();
      assertEquals(1, scene.backend.getTimeNanos() / PoolScene.WORK_NANOS);
      assertEquals(256, pool.getCachedBytes(0));
    }
  }

  @Test
  @DisplayName("S2 a buffer that comes back while the pool is closed is not stranded in its cache")
  void closedMeanwhile() {
    DriverStub driver = new DriverStub();
    Allocator allocator = StreamOrderedPool.builder(driver.device).build();
    BufferPool pool = BufferPool.create(allocator);
    TypedBuffer used = pool.take(ElementType.INT8, 256, driver.newStream());
    used.recordUse(driver.newStream());
    Event mark = driver.device.createEvent();
    when(driver.device.createEvent())
        .thenAnswer(
            call -> {
              pool.close();
              return mark;
            });
    used.close();
    assertEquals(0, pool.getCachedBytes(0));
    assertEquals(0, allocator.getStatistics().allocations().current());
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("S2 after close buffers end well, and nothing more is handed out")
  void closed(AllocatorKind kind) {
    try (PoolScene scene = new PoolScene(kind)) {
      BufferPool pool = BufferPool.create(scene.allocator);
      TypedBuffer out = pool.take(ElementType.INT8, 256, scene.s1);
      TypedBuffer used = pool.take(ElementType.INT8, 256, scene.s1);
      useOn(scene, scene.s2, used);
      pool.take(ElementType.INT8, 512, scene.s1).close();
      pool.close();
      pool.close();
      assertThrows(ClosedException.class, () -> pool.take(ElementType.INT8, 256, scene.s1));
      assertNotEquals(0, out.getAddress());
      out.close();
      used.close();
      assertEquals(0, pool.getCachedBytes(0));
      assertEquals(new BufferStatistics(0, 3, 3), pool.getStatistics());
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("S2 a close that can neither mark a use nor wait for it loses no buffer")
  @Tag("virtual-time")
  void failingMarkAndWait(AllocatorKind kind) {
    try (PoolScene scene = new PoolScene(kind)) {
      BufferPool pool = scene.closing(BufferPool.create(scene.allocator));
      TypedBuffer used = pool.take(ElementType.INT8, 256, scene.s1);
      long address = used.getAddress();
      useOn(scene, scene.s2, used);
      scene.backend.getFaults().failNext("cuEventRecord", Fault.UNKNOWN);
      scene.backend.getFaults().failNext("cuCtxSynchronize", Fault.UNKNOWN);
      assertThrows(DriverException.class, used::close);
      assertEquals(256, pool.getCachedBytes(0));
      try (TypedBuffer other = pool.take(ElementType.INT8, 256, scene.s1)) {
        assertNotEquals(address, other.getAddress(), "the other stream still uses it");
        scene.device.synchronize();
        try (TypedBuffer again = pool.take(ElementType.INT8, 256, scene.s1)) {
          assertEquals(address, again.getAddress());
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("S2 when one free fails the rest of the cache goes back all the same")
  void failingFrees(AllocatorKind kind) {
    try (PoolScene scene = new PoolScene(kind)) {
      RefusingAllocator refusing = new RefusingAllocator(scene.allocator);
      BufferPool pool = scene.closing(BufferPool.create(refusing));
      for (int i = 1; i <= 4; i++) {
        pool.take(ElementType.INT8, i * 256L, scene.s1).close();
      }
      refusing.refuseFrees(2);
      DriverException e = assertThrows(DriverException.class, pool::emptyCache);
      assertEquals(1, e.getSuppressed().length);
      assertEquals(0, pool.getCachedBytes(0));
      assertEquals(0, scene.allocator.getStatistics().allocations().current());
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("S2 a failing fill is what is thrown, also when giving the buffer back fails too")
  void failingFill(AllocatorKind kind) {
    try (PoolScene scene = new PoolScene(kind)) {
      RefusingAllocator refusing = new RefusingAllocator(scene.allocator);
      BufferPool pool = scene.closing(BufferPool.builder(List.of(refusing)).byteBudget(0).build());
      scene.backend.getFaults().failNext("cuMemsetD8Async", Fault.UNKNOWN);
      refusing.refuseFrees(1);
      DriverException e =
          assertThrows(
              DriverException.class, () -> pool.takeZeroed(ElementType.INT8, 256, scene.s1));
      assertTrue(e.toString().contains("cuMemsetD8Async"), e.toString());
      assertEquals(1, e.getSuppressed().length);
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("S2 a free that fails when memory has run out tells that as well")
  void failingFreeOutOfMemory(AllocatorKind kind) {
    try (PoolScene scene = new PoolScene(kind)) {
      RefusingAllocator refusing = new RefusingAllocator(scene.allocator);
      BufferPool pool = scene.closing(BufferPool.create(refusing));
      pool.take(ElementType.INT8, 5 * ByteSize.GIB, scene.s1).close();
      refusing.refuseFrees(1);
      DriverException e =
          assertThrows(
              DriverException.class, () -> pool.take(ElementType.INT8, 6 * ByteSize.GIB, scene.s1));
      assertInstanceOf(DeviceOutOfMemoryException.class, e.getSuppressed()[0]);
      pool.take(ElementType.INT8, 6 * ByteSize.GIB, scene.s1).close();
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("S2 a use that the allocator refuses is waited for before the buffer goes back")
  void refusedUse(AllocatorKind kind) {
    try (PoolScene scene = new PoolScene(kind)) {
      RefusingAllocator refusing = new RefusingAllocator(scene.allocator);
      BufferPool pool = scene.closing(BufferPool.create(refusing));
      TypedBuffer used = pool.take(ElementType.INT8, 4096, scene.s1);
      useOn(scene, scene.s2, used);
      used.close();
      refusing.refuseUses(1);
      pool.emptyCache();
      assertEquals(1, scene.backend.getTimeNanos() / PoolScene.WORK_NANOS, "the host waits");
      assertEquals(0, scene.allocator.getStatistics().allocations().current());
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("S2 a buffer whose use can neither be passed on nor waited for stays in the cache")
  void refusedUseAndWait(AllocatorKind kind) {
    try (PoolScene scene = new PoolScene(kind)) {
      RefusingAllocator refusing = new RefusingAllocator(scene.allocator);
      BufferPool pool = scene.closing(BufferPool.create(refusing));
      pool.take(ElementType.INT8, 256, scene.s1).close();
      TypedBuffer used = pool.take(ElementType.INT8, 4096, scene.s1);
      useOn(scene, scene.s2, used);
      used.close();
      refusing.refuseUses(1);
      scene.backend.getFaults().failNext("cuCtxSynchronize", Fault.UNKNOWN);
      assertThrows(DriverException.class, pool::emptyCache);
      assertEquals(4096, pool.getCachedBytes(0));
      pool.emptyCache();
      assertEquals(0, pool.getCachedBytes(0));
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName(
      "S2 defect: after a thread has died of an error the pool serves the others as before")
  void threads(AllocatorKind kind) throws InterruptedException, ExecutionException {
    long seed = 12;
    try (PoolScene scene = new PoolScene(kind)) {
      BufferPool pool = scene.closing(BufferPool.create(scene.allocator));
      Thread dying = new Thread(() -> pool.take(ElementType.INT64, Long.MAX_VALUE, scene.s1));
      dying.setUncaughtExceptionHandler((thread, error) -> {});
      dying.start();
      dying.join();
      ExecutorService executor = Executors.newFixedThreadPool(4);
      try {
        List<Future<?>> running = new ArrayList<>();
        SplittableRandom seeds = new SplittableRandom(seed);
        for (int t = 0; t < 4; t++) {
          SplittableRandom random = seeds.split();
          running.add(executor.submit(() -> takeAndUse(scene, pool, random)));
        }
        for (Future<?> each : running) {
          each.get();
        }
      } finally {
        executor.shutdown();
      }
      assertEquals(2000, pool.getStatistics().returns(), "seed " + seed);
      assertTrue(pool.getStatistics().hits() > 1000, "seed " + seed);
    }
  }

  private static void takeAndUse(PoolScene scene, BufferPool pool, SplittableRandom random) {
    for (int i = 0; i < 500; i++) {
      SimStream stream = random.nextBoolean() ? scene.s1 : scene.s2;
      try (TypedBuffer buffer = pool.take(ElementType.FLOAT32, 1 + random.nextInt(2000), stream)) {
        scene.work(stream, buffer.getAddress(), buffer.getSize());
      }
    }
  }
}
