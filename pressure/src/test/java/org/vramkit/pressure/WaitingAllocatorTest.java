package org.vramkit.pressure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.pressure.Scene.MIB;
import static org.vramkit.pressure.Scene.says;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.AllocatorOutOfMemoryException;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.GpuException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.pool.decorator.TrackingAllocator;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.driver.Fault;

@DisplayName("45.5 A waiting allocator")
class WaitingAllocatorTest {
  private static final Duration NOW = Duration.ZERO;
  private static final Duration LONG = Duration.ofHours(1);

  private final Scene scene = new Scene(256);
  private final SimStream stream = scene.device.createStream();
  private final WaitingAllocator memory = WaitingAllocator.over(scene.allocator, LONG);

  /** Submitted attempts of asynchronous requests, which the test runs. */
  private final Queue<Runnable> attempts = new ArrayDeque<>();

  @AfterEach
  void nothingIsLost() {
    assertEquals(0, memory.getWaiting());
    memory.close();
    stream.close();
    scene.close();
  }

  private Allocation take(long mebibytes) {
    return memory.allocate(mebibytes * MIB, stream, NOW);
  }

  private CompletableFuture<Allocation> ask(long mebibytes) {
    CompletableFuture<Allocation> asked =
        memory.allocateAsync(mebibytes * MIB, stream, attempts::add).toCompletableFuture();
    makeAttempts();
    return asked;
  }

  private void makeAttempts() {
    while (!attempts.isEmpty()) {
      attempts.remove().run();
    }
  }

  @Test
  @DisplayName("is no caller: the stack of an allocation through it begins in the user's code")
  void isNoCaller() {
    try (TrackingAllocator tracking = TrackingAllocator.withStacks(scene.allocator);
        Allocation held = WaitingAllocator.over(tracking, LONG).allocate(MIB, stream)) {
      StackTraceElement caller = tracking.getLive().get(0).stack().get(0);
      assertEquals(WaitingAllocatorTest.class.getName(), caller.getClassName());
      assertEquals(MIB, held.getSize());
    }
  }

  @Test
  @DisplayName("45.5 waits for another user's close")
  void waits() {
    Allocation held = take(200);
    CompletableFuture<Allocation> other =
        CompletableFuture.supplyAsync(() -> memory.allocate(200 * MIB, stream));
    while (memory.getWaiting() == 0) {
      Thread.onSpinWait();
    }
    held.close();
    other.join().close();
  }

  @Test
  @DisplayName("45.5 tells a stage when the memory is there, on the executor of the request")
  void completes() {
    Allocation held = take(200);
    CompletableFuture<Allocation> asked = ask(150);
    assertFalse(asked.isDone());
    held.close();
    assertFalse(asked.isDone(), "a close makes no attempt itself");
    makeAttempts();
    asked.join().close();
  }

  @Test
  @DisplayName("45.5 serves requests as they came: a small one does not pass a large one")
  void fair() {
    Allocation first = take(100);
    Allocation second = take(100);
    CompletableFuture<Allocation> large = ask(180);
    CompletableFuture<Allocation> small = ask(20);
    assertThrows(DeviceOutOfMemoryException.class, () -> take(20), "behind the small one");
    first.close();
    makeAttempts();
    assertFalse(small.isDone(), "20 fit, 180 do not");
    second.close();
    makeAttempts();
    large.join().close();
    small.join().close();
  }

  @Test
  @DisplayName("45.5 a late request leaves the line, with the last report as its cause")
  void late() {
    Allocation held = take(200);
    DeviceOutOfMemoryException late =
        assertThrows(DeviceOutOfMemoryException.class, () -> take(150));
    says("timed out after PT0S; users of this allocator hold 200.00 MiB", late);
    assertTrue(late.getCause() instanceof AllocatorOutOfMemoryException);
    held.close();
    take(150).close();
  }

  @Test
  @DisplayName("45.5 fails at once where no close can help: nothing else is held")
  void hopeless() {
    try (Allocation beside = scene.allocator.allocate(200 * MIB, stream)) {
      DeviceOutOfMemoryException refused =
          assertThrows(
              DeviceOutOfMemoryException.class, () -> memory.allocate(150 * MIB, stream, LONG));
      says("no open allocation of this allocator", refused);
      assertEquals(200 * MIB, beside.getSize());
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {300 * MIB, Long.MAX_VALUE})
  @DisplayName("45.5 fails at once where no close can help: the device is smaller")
  void tooLarge(long bytes) {
    Allocation held = take(100);
    assertThrows(DeviceOutOfMemoryException.class, () -> memory.allocate(bytes, stream, LONG));
    held.close();
  }

  @Test
  @DisplayName("45.5 a request that is cancelled gives back what it gets too late")
  void cancelled() {
    Allocation held = take(200);
    CompletableFuture<Allocation> gone =
        memory.allocateAsync(150 * MIB, stream, attempts::add).toCompletableFuture();
    makeAttempts();
    held.close();
    gone.cancel(false);
    CompletableFuture<Allocation> next = ask(200);
    makeAttempts();
    next.join().close();
  }

  @Test
  @DisplayName("45.5 other errors pass: bad sizes, a closed stream, a driver that fails")
  void errorsPass() {
    assertThrows(InvalidArgumentException.class, () -> memory.allocate(-1, stream));
    assertThrows(
        InvalidArgumentException.class, () -> memory.allocate(1, stream, Duration.ofNanos(-1)));
    assertThrows(
        InvalidArgumentException.class,
        () -> WaitingAllocator.over(scene.allocator, Duration.ofNanos(-1)));
    SimStream closed = scene.device.createStream();
    closed.close();
    assertThrows(ClosedException.class, () -> memory.allocate(MIB, closed));
    scene.gpu.getFaults().failNext("cuMemCreate", Fault.UNKNOWN);
    assertThrows(GpuException.class, () -> memory.allocate(64 * MIB, stream));
    try (Allocation empty = memory.allocate(0, stream)) {
      assertEquals(0, empty.getSize());
    }
  }

  @Test
  @DisplayName("45.5 a request that no close can help is answered at once, past the line")
  void pastTheLine() {
    Allocation held = take(200);
    CompletableFuture<Allocation> waiting = ask(150);
    SimStream closed = scene.device.createStream();
    closed.close();
    scene.allocator.setLimit(220 * MIB);
    assertEquals(0, take(0).getSize());
    assertThrows(InvalidArgumentException.class, () -> take(-1));
    assertThrows(InvalidArgumentException.class, () -> memory.allocateAligned(1, 3, stream));
    assertThrows(ClosedException.class, () -> memory.allocate(1, closed));
    says("225.00 MiB", assertThrows(AllocatorOutOfMemoryException.class, () -> take(225)));
    for (long mebibytes : new long[] {-1, 225, 300}) {
      CompletableFuture<Allocation> asked = ask(mebibytes);
      assertTrue(asked.isCompletedExceptionally(), mebibytes + " MiB");
    }
    ask(0).join().close();
    assertEquals(1, memory.getWaiting());
    assertFalse(waiting.isDone());
    held.close();
    makeAttempts();
    waiting.join().close();
  }

  @Test
  @DisplayName("45.5 an error ends an asynchronous request, and the next one is served")
  void asynchronousErrors() {
    Allocation held = take(200);
    SimStream other = scene.device.createStream();
    CompletableFuture<Allocation> broken =
        memory.allocateAsync(150 * MIB, other, attempts::add).toCompletableFuture();
    makeAttempts();
    CompletableFuture<Allocation> next = ask(150);
    other.close();
    held.close();
    makeAttempts();
    assertThrows(CompletionException.class, broken::join);
    next.join().close();
  }

  @Test
  @DisplayName("45.5 an executor that refuses ends its request, never the close of another user")
  void executorRefuses() {
    Allocation held = take(200);
    CompletableFuture<Allocation> refused =
        memory
            .allocateAsync(
                150 * MIB,
                stream,
                attempt -> {
                  throw new RejectedExecutionException("shut down");
                })
            .toCompletableFuture();
    assertTrue(
        assertThrows(CompletionException.class, refused::join).getCause()
            instanceof RejectedExecutionException);
    held.close();
  }

  @Test
  @DisplayName("45.5 a thread interrupted in line leaves it, and stays interrupted")
  void interrupted() {
    Allocation held = take(200);
    Thread.currentThread().interrupt();
    assertThrows(CancellationException.class, () -> memory.allocate(150 * MIB, stream));
    assertTrue(Thread.interrupted());
    held.close();
  }

  @Test
  @DisplayName("45.5 a close refuses while memory is held, and nothing is allocated afterwards")
  void closes() {
    Allocation held = take(10);
    assertThrows(IllegalStateException.class, memory::close);
    held.close();
    memory.close();
    memory.close();
    ClosedException closed = assertThrows(ClosedException.class, () -> take(1));
    says("create a new one", closed);
  }

  @Test
  @DisplayName("45.5 many threads that want more than there is all get it in the end")
  void threads() {
    List<CompletableFuture<Void>> users = new ArrayList<>();
    for (int user = 0; user < 8; user++) {
      long mebibytes = 60L + 10L * user;
      users.add(
          CompletableFuture.runAsync(
              () -> {
                for (int round = 0; round < 20; round++) {
                  memory.allocate(mebibytes * MIB, stream).close();
                }
              }));
    }
    users.forEach(CompletableFuture::join);
    assertEquals(0, memory.getLiveBytes());
  }

  @Test
  @DisplayName("45.5 memory of several owners goes back with the last, also where one closes twice")
  void shared() {
    SharedAllocation first = SharedAllocation.of(take(200));
    SharedAllocation second = first.retain();
    assertEquals(2, second.getOwners());
    first.close();
    first.close();
    assertEquals(200 * MIB, memory.getLiveBytes());
    assertThrows(ClosedException.class, first::getAddress);
    assertThrows(ClosedException.class, first::retain);
    assertThrows(ClosedException.class, () -> first.recordUse(stream));
    CompletableFuture<Allocation> waiting = ask(200);
    second.recordUse(stream);
    second.close();
    makeAttempts();
    Allocation next = waiting.join();
    next.close();
    assertThrows(ClosedException.class, () -> SharedAllocation.of(next));
  }
}
