package org.vramkit.pool.buffer;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.Mockito.when;
import static org.vramkit.pool.buffer.BufferUses.useOn;

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
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.AllocatorOutOfMemoryException;
import org.vramkit.api.allocator.ElementType;
import org.vramkit.api.device.Event;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.GpuException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.pool.AllocatorKind;
import org.vramkit.pool.PoolScene;
import org.vramkit.pool.streamordered.StreamOrderedPool;
import org.vramkit.pool.support.DriverStub;
import org.vramkit.sim.SimStream;

@DisplayName("S2: the typed buffer pool")
class BufferPoolTest {
  private static void takeAndUse(PoolScene scene, BufferPool pool, SplittableRandom random) {
    for (int i = 0; i < 500; i++) {
      SimStream stream = random.nextBoolean() ? scene.s1 : scene.s2;
      try (TypedBuffer buffer =
          pool.acquire(ElementType.FLOAT32, 1 + random.nextInt(2000), stream)) {
        scene.work(stream, buffer.getAddress(), buffer.getSize());
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("S2.1 two types of one width never share a buffer, nor do two rounded counts")
  void typesAndCountsShareNoBuffer(AllocatorKind kind) {
    try (PoolScene scene = new PoolScene(kind)) {
      BufferPool pool = scene.closing(BufferPool.create(scene.allocator));
      pool.acquire(ElementType.FLOAT32, 256, scene.s1).close();
      pool.acquire(ElementType.INT32, 256, scene.s1).close();
      pool.acquire(ElementType.FLOAT32, 257, scene.s1).close();
      assertEquals(new BufferStatistics(0, 3, 3), pool.getStatistics());
      pool.acquire(ElementType.FLOAT32, 1, scene.s1).close();
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
  void countsAreRounded(long count, long rounded) {
    assertEquals(rounded, BufferKey.roundUp(count));
  }

  @Test
  @DisplayName("S2.2 a count without enough memory is reported as requested, not rounded")
  void hugeCounts() {
    try (PoolScene scene = new PoolScene(AllocatorKind.CACHING_ON_PAGES)) {
      BufferPool pool = scene.closing(BufferPool.create(scene.allocator));
      for (long count : new long[] {Long.MAX_VALUE, Long.MAX_VALUE / 8 - 1, (1L << 57) + 1}) {
        for (ElementType type : new ElementType[] {ElementType.INT8, ElementType.FLOAT64}) {
          String message =
              String.valueOf(
                  assertThrows(GpuException.class, () -> pool.acquire(type, count, scene.s1))
                      .getMessage());
          assertTrue(message.contains(" " + count + " elements "), message);
          assertTrue(message.contains(type.toString()), message);
        }
      }
      // Its bytes fit into a long, those of the rounded count do not.
      assertThrows(
          DeviceOutOfMemoryException.class,
          () -> pool.acquire(ElementType.FLOAT64, Long.MAX_VALUE / 8, scene.s1));
      AllocatorOutOfMemoryException told =
          assertThrows(
              AllocatorOutOfMemoryException.class,
              () -> pool.acquire(ElementType.FLOAT32, (1L << 40) + 1, scene.s1));
      assertEquals(4 * ((1L << 40) + 256), told.getReport().requestedBytes());
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("S2.3 a hit takes the newest buffer without a driver call, zeroed with one fill")
  void hitTakesTheNewest(AllocatorKind kind) {
    try (PoolScene scene = new PoolScene(kind)) {
      BufferPool pool = scene.closing(BufferPool.create(scene.allocator));
      TypedBuffer older = pool.acquire(ElementType.INT8, 1000, scene.s1);
      TypedBuffer newer = pool.acquire(ElementType.INT8, 1000, scene.s1);
      long address = newer.getAddress();
      newer.slice(0, 3).copyFrom(new byte[] {1, 2, 3});
      older.close();
      newer.close();
      scene.driverCalls();
      TypedBuffer again = pool.acquire(ElementType.INT8, 900, scene.s1);
      assertEquals(address, again.getAddress());
      assertEquals(0, scene.driverCalls());
      again.close();
      TypedBuffer zeroed = pool.acquireZeroed(ElementType.INT8, 900, scene.s1);
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
  @DisplayName("S2 defect: recorded uses are cleared, so the buffer is reused like any other again")
  void usesAreForgotten(AllocatorKind kind) {
    try (PoolScene scene = new PoolScene(kind)) {
      BufferPool pool = scene.closing(BufferPool.create(scene.allocator));
      TypedBuffer used = pool.acquire(ElementType.INT8, 256, scene.s1);
      useOn(scene, scene.s2, used);
      used.close();
      scene.backend.advance(2 * PoolScene.WORK_NANOS);
      pool.acquire(ElementType.INT8, 256, scene.s1).close();
      scene.driverCalls();
      pool.acquire(ElementType.INT8, 256, scene.s1).close();
      assertEquals(0, scene.driverCalls());
      assertEquals(new BufferStatistics(2, 1, 3), pool.getStatistics());
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("S2 defect: recording marks the one buffer, not all of its key")
  void recordingMarksOneBuffer(AllocatorKind kind) {
    try (PoolScene scene = new PoolScene(kind)) {
      BufferPool pool = scene.closing(BufferPool.create(scene.allocator));
      TypedBuffer plain = pool.acquire(ElementType.INT8, 256, scene.s1);
      TypedBuffer used = pool.acquire(ElementType.INT8, 256, scene.s1);
      long address = plain.getAddress();
      useOn(scene, scene.s2, used);
      plain.close();
      used.close();
      try (TypedBuffer again = pool.acquire(ElementType.INT8, 256, scene.s1)) {
        assertEquals(address, again.getAddress());
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("S2.6, defect: hits, misses and returns are counted, and can be reset")
  void hitsAndMissesAreCounted(AllocatorKind kind) {
    try (PoolScene scene = new PoolScene(kind)) {
      BufferPool pool = scene.closing(BufferPool.create(scene.allocator));
      TypedBuffer held = pool.acquire(ElementType.INT16, 300, scene.s1);
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
  void tryTakeNeverAllocates(AllocatorKind kind) {
    try (PoolScene scene = new PoolScene(kind)) {
      BufferPool pool = scene.closing(BufferPool.create(scene.allocator));
      assertNull(pool.tryAcquire(ElementType.INT8, 300, scene.s1));
      TypedBuffer first = pool.acquire(ElementType.INT8, 300, scene.s1);
      long address = first.getAddress();
      first.close();
      assertNull(pool.tryAcquire(ElementType.INT8, 300, scene.s2));
      assertNull(pool.tryAcquire(ElementType.INT8, 600, scene.s1));
      try (TypedBuffer there = requireNonNull(pool.tryAcquire(ElementType.INT8, 290, scene.s1))) {
        assertEquals(address, there.getAddress());
        assertEquals(290, there.getCount());
        assertNull(pool.tryAcquire(ElementType.INT8, 300, scene.s1));
      }
      assertEquals(new BufferStatistics(1, 1, 2), pool.getStatistics());
      assertThrows(
          InvalidArgumentException.class, () -> pool.tryAcquire(ElementType.INT8, 0, scene.s1));
      pool.close();
      assertThrows(ClosedException.class, () -> pool.tryAcquire(ElementType.INT8, 300, scene.s1));
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("S2 arrays of every kind go to the device and come back, also in several pieces")
  void arraysGoAndComeBack(AllocatorKind kind) {
    try (PoolScene scene = new PoolScene(kind)) {
      BufferPool pool = scene.closing(BufferPool.create(scene.allocator));
      int many = 3_000_000;
      int[] large = new SplittableRandom(3).ints(many).toArray();
      try (TypedBuffer buffer = pool.acquire(ElementType.INT32, many, scene.s1)) {
        buffer.copyFrom(large);
        int[] back = new int[many];
        buffer.copyTo(back);
        assertArrayEquals(large, back);
      }
      try (TypedBuffer buffer = pool.acquire(ElementType.FLOAT64, 2, scene.s1)) {
        buffer.copyFrom(new double[] {Math.PI, -0.0});
        double[] back = new double[2];
        buffer.copyTo(back);
        assertArrayEquals(new double[] {Math.PI, -0.0}, back);
      }
      try (TypedBuffer buffer = pool.acquire(ElementType.FLOAT32, 2, scene.s1)) {
        buffer.copyFrom(new float[] {1.5f, Float.NaN});
        float[] back = new float[2];
        buffer.copyTo(back);
        assertArrayEquals(new float[] {1.5f, Float.NaN}, back);
      }
      try (TypedBuffer buffer = pool.acquire(ElementType.INT64, 2, scene.s1)) {
        buffer.copyFrom(new long[] {Long.MIN_VALUE, 7});
        long[] back = new long[2];
        buffer.copyTo(back);
        assertArrayEquals(new long[] {Long.MIN_VALUE, 7}, back);
      }
      try (TypedBuffer buffer = pool.acquire(ElementType.BFLOAT16, 2, scene.s1)) {
        buffer.copyFrom(new short[] {0x3fc0, -1});
        short[] back = new short[2];
        buffer.copyTo(back);
        assertArrayEquals(new short[] {0x3fc0, -1}, back);
      }
    }
  }

  @Test
  @DisplayName("S2 misuse is refused with what was wanted and what was found")
  void misuseIsRefused() {
    try (PoolScene scene = new PoolScene(AllocatorKind.CACHING_ON_PAGES)) {
      BufferPool pool = scene.closing(BufferPool.create(scene.allocator));
      assertThrows(
          InvalidArgumentException.class, () -> pool.acquire(ElementType.INT8, -1, scene.s1));
      assertThrows(
          InvalidArgumentException.class,
          () -> pool.acquire(ElementType.INT64, Long.MAX_VALUE, scene.s1));
      TypedBuffer buffer = pool.acquire(ElementType.FLOAT32, 2, scene.s1);
      InvalidArgumentException type =
          assertThrows(InvalidArgumentException.class, () -> buffer.copyFrom(new int[2]));
      assertTrue(type.toString().contains("FLOAT32") && type.toString().contains("int[]"));
      InvalidArgumentException room =
          assertThrows(InvalidArgumentException.class, () -> buffer.copyFrom(new float[3]));
      assertTrue(room.toString().contains("12") && room.toString().contains("8"));
      buffer.close();
      assertThrows(ClosedException.class, () -> buffer.copyFrom(new float[2]));
      assertThrows(ClosedException.class, buffer::getAddress);
      try (TypedBuffer empty = pool.acquireZeroed(ElementType.INT8, 0, scene.s1)) {
        assertEquals(0, empty.getAddress());
      }
      assertThrows(
          InvalidArgumentException.class,
          () -> BufferPool.builder(List.of(scene.allocator, scene.allocator)));
    }
  }

  @Test
  @DisplayName("S2 a buffer that comes back while the pool is closed is not stranded in its cache")
  void bufferBackDuringCloseIsNotStranded() {
    DriverStub driver = new DriverStub();
    Allocator allocator = StreamOrderedPool.builder(driver.device).build();
    BufferPool pool = BufferPool.create(allocator);
    TypedBuffer used = pool.acquire(ElementType.INT8, 256, driver.newStream());
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
  void buffersEndWellAfterClose(AllocatorKind kind) {
    try (PoolScene scene = new PoolScene(kind)) {
      BufferPool pool = BufferPool.create(scene.allocator);
      TypedBuffer out = pool.acquire(ElementType.INT8, 256, scene.s1);
      TypedBuffer used = pool.acquire(ElementType.INT8, 256, scene.s1);
      useOn(scene, scene.s2, used);
      pool.acquire(ElementType.INT8, 512, scene.s1).close();
      pool.close();
      pool.close();
      assertThrows(ClosedException.class, () -> pool.acquire(ElementType.INT8, 256, scene.s1));
      assertNotEquals(0, out.getAddress());
      out.close();
      used.close();
      assertEquals(0, pool.getCachedBytes(0));
      assertEquals(new BufferStatistics(0, 3, 3), pool.getStatistics());
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName(
      "S2 defect: after a thread has died of an error the pool serves the others as before")
  void threadsShareBuffers(AllocatorKind kind) throws InterruptedException, ExecutionException {
    long seed = 12;
    try (PoolScene scene = new PoolScene(kind)) {
      BufferPool pool = scene.closing(BufferPool.create(scene.allocator));
      Thread dying = new Thread(() -> pool.acquire(ElementType.INT64, Long.MAX_VALUE, scene.s1));
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
}
