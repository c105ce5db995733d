package org.vramkit.pool.decorator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.api.units.ByteSize.MIB;

import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Stat;
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
import org.vramkit.sim.driver.Fault;

@DisplayName("Decorators of allocators")
class DecoratorsTest {

  private static PoolScene scene() {
    return new PoolScene(AllocatorKind.CACHING_ON_PAGES);
  }

  @Test
  @DisplayName("R2 limits compose: what the inner one refuses, the outer one does not count")
  void limitsCompose() {
    try (PoolScene scene = scene()) {
      LimitingAllocator inner = scene.closing(LimitingAllocator.over(scene.allocator, 2 * MIB));
      LimitingAllocator outer = scene.closing(LimitingAllocator.over(inner, 5 * MIB));
      assertThrows(DeviceOutOfMemoryException.class, () -> outer.allocate(4 * MIB, scene.s1));
      assertEquals(0, outer.getUsedBytes());
      assertEquals(0, inner.getUsedBytes());
      outer.allocate(2 * MIB, scene.s1).close();
    }
  }

  @Test
  @DisplayName("R3 a limit counts requested bytes, and a refusal leaves the count alone")
  void limit() {
    try (PoolScene scene = scene()) {
      LimitingAllocator limited = scene.closing(LimitingAllocator.over(scene.allocator, 10 * MIB));
      Allocation first = limited.allocate(4 * MIB, scene.s1);
      Allocation second = limited.allocate(4 * MIB, scene.s1);
      DeviceOutOfMemoryException e =
          assertThrows(DeviceOutOfMemoryException.class, () -> limited.allocate(3 * MIB, scene.s1));
      assertTrue(e.toString().contains("8.00 MiB of 10.00 MiB"), e.toString());
      assertEquals(8 * MIB, limited.getUsedBytes());
      first.close();
      Allocation third = limited.allocate(6 * MIB, scene.s1);
      assertEquals(0, limited.getAvailableBytes());
      second.close();
      third.close();
      assertThrows(
          InvalidArgumentException.class, () -> LimitingAllocator.over(scene.allocator, -1));
    }
  }

  @Test
  @DisplayName("R3 a limit holds against threads that allocate at once")
  void limitUnderThreads() throws InterruptedException, ExecutionException {
    try (PoolScene scene = scene()) {
      LimitingAllocator limited = scene.closing(LimitingAllocator.over(scene.allocator, 4 * MIB));
      AtomicLong most = new AtomicLong();
      ExecutorService executor = Executors.newFixedThreadPool(4);
      List<Future<?>> running = new ArrayList<>();
      for (int t = 0; t < 4; t++) {
        running.add(
            executor.submit(
                () -> {
                  for (int i = 0; i < 500; i++) {
                    try (Allocation held = limited.allocate(3 * MIB / 2, scene.s1)) {
                      most.accumulateAndGet(limited.getUsedBytes(), Math::max);
                      assertEquals(3 * MIB / 2, held.getSize());
                    } catch (DeviceOutOfMemoryException e) {
                      Thread.onSpinWait();
                    }
                  }
                }));
      }
      for (Future<?> each : running) {
        each.get();
      }
      executor.shutdown();
      assertTrue(most.get() <= 4 * MIB, "held at once: " + most);
      assertEquals(0, limited.getUsedBytes());
    }
  }

  @Test
  @DisplayName("17.5 room under a limit comes back with the memory, not before")
  void limitWhileClosing() {
    try (PoolScene scene = scene()) {
      RefusingAllocator beneath = new RefusingAllocator(scene.allocator);
      LimitingAllocator limited = scene.closing(LimitingAllocator.over(beneath, 10 * MIB));
      Allocation held = limited.allocate(10 * MIB, scene.s1);
      List<Throwable> refusals = new ArrayList<>();
      beneath.beforeNextFree(
          () ->
              refusals.add(
                  assertThrows(
                      DeviceOutOfMemoryException.class,
                      () -> limited.allocate(10 * MIB, scene.s1))));
      held.close();
      assertEquals(1, refusals.size());
      assertEquals(0, limited.getUsedBytes());
      limited.allocate(10 * MIB, scene.s1).close();
      beneath.refuseFrees(1);
      Allocation last = limited.allocate(10 * MIB, scene.s1);
      assertThrows(DriverException.class, last::close);
      assertEquals(0, limited.getUsedBytes(), "what the driver says does not keep the room");
    }
  }

  @Test
  @DisplayName("17.8 however often it is tried, the error keeps the first failure and the last")
  void manyTries() {
    DriverStub driver = new DriverStub();
    driver.capacity = 1000;
    List<Throwable> failures = new ArrayList<>();
    try (var beneath = StreamOrderedPool.builder(driver.device).build();
        var retrying =
            RetryingAllocator.over(
                beneath,
                attempt -> {
                  failures.add(attempt.failure());
                  return attempt.attempt() < 1000;
                })) {
      DeviceOutOfMemoryException e =
          assertThrows(
              DeviceOutOfMemoryException.class, () -> retrying.allocate(1001, driver.newStream()));
      assertEquals(1000, failures.size());
      assertSame(failures.get(0), e);
      assertEquals(1, e.getSuppressed().length);
      assertSame(failures.get(999), e.getSuppressed()[0]);
    }
  }

  @Test
  @DisplayName("A hook that fails, as a clock may, costs no allocation")
  void failingHook() {
    try (PoolScene scene = scene()) {
      AtomicInteger reads = new AtomicInteger();
      TraceRecorder recorder =
          scene.closing(
              new TraceRecorder(
                  scene.allocator,
                  new StringWriter(),
                  () -> {
                    if (reads.getAndIncrement() == 1) {
                      throw new StackOverflowError("as planned");
                    }
                    return 0;
                  }));
      assertThrows(StackOverflowError.class, () -> recorder.allocate(700, scene.s1));
      assertEquals(0, scene.allocator.getStatistics().allocations().current());
    }
  }

  @Test
  @DisplayName("R4 a scope counts current, peak and total, and nested scopes only their own")
  void scopes() {
    try (PoolScene scene = scene()) {
      StatisticsScope outer = scene.closing(StatisticsScope.over(scene.allocator));
      List<Allocation> live = new ArrayList<>();
      for (int i = 0; i < 10; i++) {
        live.add(outer.allocate(10 * MIB, scene.s1));
      }
      for (int i = 0; i < 5; i++) {
        live.remove(0).close();
      }
      assertEquals(new Stat(50 * MIB, 100 * MIB, 100 * MIB, 50 * MIB), outer.getBytes());
      StatisticsScope inner = scene.closing(StatisticsScope.over(outer));
      for (int i = 0; i < 10; i++) {
        live.add(inner.allocate(10 * MIB, scene.s1));
      }
      assertEquals(new Stat(150 * MIB, 150 * MIB, 200 * MIB, 50 * MIB), outer.getBytes());
      assertEquals(15, outer.getAllocations().peak());
      assertEquals(new Stat(100 * MIB, 100 * MIB, 100 * MIB, 0), inner.getBytes());
      live.forEach(Allocation::close);
      outer.resetScopePeaks();
      assertEquals(new Stat(0, 0, 200 * MIB, 200 * MIB), outer.getBytes());
      assertEquals(new Stat(0, 10, 10, 10), inner.getAllocations());
    }
  }

  @Test
  @DisplayName("R5 a handler that says retry once and then gives up gets just one retry")
  void retryOnce() {
    try (PoolScene scene = scene()) {
      List<OutOfMemoryAttempt> heard = new ArrayList<>();
      RetryHandler once =
          attempt -> {
            heard.add(attempt);
            return attempt.attempt() == 1;
          };
      RetryingAllocator retrying = scene.closing(RetryingAllocator.over(scene.allocator, once));
      DeviceOutOfMemoryException e =
          assertThrows(
              DeviceOutOfMemoryException.class,
              () -> retrying.allocate(100 * ByteSize.GIB, scene.s1));
      assertEquals(2, heard.size());
      assertSame(heard.get(0).failure(), e, "the original error");
      assertEquals(100 * ByteSize.GIB, heard.get(1).bytes());
      assertEquals(2, heard.get(1).attempt());
      assertTrue(!heard.get(0).steps().isEmpty(), "what was tried");
    }
  }

  @Test
  @DisplayName(
      "R5 memory that the handler frees lets the retry succeed; other errors never reach the"
          + " handler")
  void retrySucceeds() {
    try (PoolScene scene = scene()) {
      Allocation hoard = scene.allocator.allocate(6 * ByteSize.GIB, scene.s1);
      AtomicInteger asked = new AtomicInteger();
      RetryingAllocator retrying =
          scene.closing(
              RetryingAllocator.over(
                  scene.allocator,
                  attempt -> {
                    asked.incrementAndGet();
                    hoard.close();
                    return true;
                  }));
      retrying.allocate(5 * ByteSize.GIB, scene.s1).close();
      assertEquals(1, asked.get());
      scene.backend.getFaults().failNext("cuMemSetAccess", Fault.UNKNOWN);
      assertThrows(DriverException.class, () -> retrying.allocate(7 * ByteSize.GIB, scene.s1));
      assertThrows(InvalidArgumentException.class, () -> retrying.allocate(-1, scene.s1));
      assertEquals(1, asked.get());
    }
  }

  @Test
  @DisplayName("44 tracking knows exactly what is live, by whom, and where it was allocated")
  void tracking() {
    try (PoolScene scene = scene()) {
      TrackingAllocator tracking = scene.closing(TrackingAllocator.withStacks(scene.allocator));
      Allocation kept = tracking.allocate(1000, scene.s1);
      tracking.allocate(2000, scene.s2).close();
      LiveAllocation live = tracking.getLive().get(0);
      assertEquals(1, tracking.getLive().size());
      assertEquals(kept.getAddress(), live.address());
      assertEquals(1000, live.size());
      assertEquals(scene.s1.getHandle(), live.stream());
      assertEquals(Thread.currentThread().getName(), live.thread());
      assertEquals("tracking", live.stack().get(0).getMethodName());
      IllegalStateException e = assertThrows(IllegalStateException.class, tracking::close);
      assertTrue(e.toString().contains("DecoratorsTest.tracking"), e.toString());
      kept.close();
      assertEquals(List.of(), tracking.getLive());
      assertTrue(
          TrackingAllocator.over(scene.allocator).getLive().isEmpty(), "without stacks as well");
    }
  }

  @Test
  @DisplayName("R10 a trace numbers a stream anew that has the handle of a closed one")
  void traceOfReusedHandle() {
    DriverStub driver = new DriverStub();
    StringWriter text = new StringWriter();
    TraceRecorder recorder =
        new TraceRecorder(StreamOrderedPool.builder(driver.device).build(), text, () -> 0);
    HandleStream closed = new HandleStream(driver.device, 7);
    Allocation first = recorder.allocate(512, closed);
    recorder.allocate(512, new HandleStream(driver.device, 7)).close();
    closed.close();
    HandleStream next = new HandleStream(driver.device, 7);
    recorder.allocate(512, next).close();
    first.close();
    assertEquals(
        List.of("0", "0", "0", "0", "1", "1", "1", "0", "0"),
        text.toString().lines().skip(1).map(line -> line.split(",", -1)[3]).toList());
  }

  @Test
  @DisplayName("R10 a trace holds every allocation, free and failure, as the replay reads them")
  void recording() {
    try (PoolScene scene = scene()) {
      StringWriter text = new StringWriter();
      AtomicLong nanos = new AtomicLong();
      TraceRecorder recorder =
          new TraceRecorder(scene.allocator, text, () -> nanos.getAndAdd(5_000));
      Allocation block = recorder.allocate(700, scene.s2);
      long address = block.getAddress();
      assertThrows(
          DeviceOutOfMemoryException.class, () -> recorder.allocate(64 * ByteSize.GIB, scene.s1));
      recorder.allocate(0, scene.s1).close();
      block.close();
      recorder.close();
      assertEquals(
          List.of(
              "action,addr,size,stream,time_us",
              "alloc," + address + ",700,0,5",
              "oom,0,68719476736,1,10",
              "free_requested," + address + ",700,0,15",
              "free_completed," + address + ",700,0,20"),
          text.toString().lines().toList());
    }
  }

  /** What a writer throws when it fails. */
  enum Failure {
    CHECKED {
      @Override
      void fail() throws IOException {
        throw new IOException("no space left");
      }
    },
    UNCHECKED {
      @Override
      void fail() {
        throw new IllegalStateException("no space left");
      }
    };

    abstract void fail() throws IOException;
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName(
      "42.22 a recorder whose writer fails lets the program go on, and says so at its close")
  void failingWriter(Failure failure) {
    Writer full =
        new Writer() {
          @Override
          public void write(char[] buffer, int offset, int length) throws IOException {
            failure.fail();
          }

          @Override
          public void flush() {}

          @Override
          public void close() throws IOException {
            failure.fail();
          }
        };
    try (PoolScene scene = scene()) {
      TraceRecorder recorder = TraceRecorder.over(scene.allocator, full);
      recorder.allocate(700, scene.s1).close();
      UncheckedIOException e = assertThrows(UncheckedIOException.class, recorder::close);
      assertTrue(e.toString().contains("no space left"), e.toString());
      recorder.close();
    }
  }

  @Test
  @DisplayName("Decorators stack, and closing one leaves the allocator beneath open")
  void stacked() {
    try (PoolScene scene = scene()) {
      LimitingAllocator limited = LimitingAllocator.over(scene.allocator, MIB);
      StatisticsScope scope = StatisticsScope.over(limited);
      TrackingAllocator top = TrackingAllocator.over(scope);
      try (Allocation block = top.allocate(1000, scene.s1)) {
        assertEquals(1000, limited.getUsedBytes());
        assertEquals(1000, scope.getBytes().current());
        scene.work(scene.s1, block.getAddress(), 1000);
        assertThrows(IllegalStateException.class, limited::close);
      }
      top.close();
      assertThrows(ClosedException.class, () -> top.allocate(1, scene.s1));
      scope.close();
      limited.close();
      scene.allocator.allocate(1, scene.s1).close();
    }
  }
}
