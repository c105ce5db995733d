package org.vramkit.pressure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.pressure.Scene.MIB;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;
import org.vramkit.sim.SimStream;

@DisplayName("45.5 A waiting allocator in hard cases")
class WaitingAllocatorHardTest {
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
    return memory.allocate(mebibytes * MIB, stream);
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
  @DisplayName("45.5 if the executor rejects an attempt, the request fails and the close continues")
  void noExecutor() {
    assertThrows(NullPointerException.class, () -> memory.allocateAsync(1, stream, nullExecutor()));
    memory.close();
  }

  @SuppressWarnings("NullAway") // as a caller without such checks may do
  private static Executor nullExecutor() {
    return null;
  }

  @Test
  @DisplayName("45.5 an executor that fails ends its request, and the next one is served")
  void executorFails() {
    Allocation held = take(200);
    CompletableFuture<Allocation> first = ask(150);
    Queue<Runnable> once = new ArrayDeque<>();
    CompletableFuture<Allocation> failed =
        memory
            .allocateAsync(
                150 * MIB,
                stream,
                attempt -> {
                  throw new OutOfMemoryError("unable to create a thread");
                })
            .toCompletableFuture();
    CompletableFuture<Allocation> last =
        memory.allocateAsync(150 * MIB, stream, once::add).toCompletableFuture();
    held.close();
    makeAttempts();
    first.join().close();
    while (!once.isEmpty()) {
      once.remove().run();
    }
    assertTrue(
        assertThrows(CompletionException.class, failed::join).getCause()
            instanceof OutOfMemoryError);
    last.join().close();
  }

  @Test
  @DisplayName("45.5 a long line that is served on the closing thread is served to its end")
  void longLine() {
    Allocation held = take(200);
    AtomicInteger served = new AtomicInteger();
    for (int i = 0; i < 10_000; i++) {
      var unused =
          memory
              .allocateAsync(150 * MIB, stream, Runnable::run)
              .thenAccept(
                  block -> {
                    served.incrementAndGet();
                    block.close();
                  });
    }
    held.close();
    assertEquals(10_000, served.get());
  }

  @Test
  @DisplayName("45.5 the callback of the last request may close the allocator")
  void closedByItsLastRequest() {
    WaitingAllocator own = WaitingAllocator.over(scene.allocator, LONG);
    Allocation held = own.allocate(200 * MIB, stream);
    CompletableFuture<Void> served =
        own.allocateAsync(150 * MIB, stream, attempts::add)
            .thenAccept(
                block -> {
                  block.close();
                  own.close();
                })
            .toCompletableFuture();
    makeAttempts();
    held.close();
    makeAttempts();
    served.join();
    assertThrows(ClosedException.class, () -> own.allocate(1, stream));
  }

  @Test
  @DisplayName("45.5 the callback of a hopeless request may close the allocator")
  void closedByItsLastFailure() {
    WaitingAllocator own = WaitingAllocator.over(scene.allocator, LONG);
    try (Allocation others = scene.allocator.allocate(200 * MIB, stream)) {
      CompletableFuture<Allocation> failed =
          own.allocateAsync(150 * MIB, stream, attempts::add)
              .whenComplete((block, error) -> own.close())
              .toCompletableFuture();
      makeAttempts();
      assertThrows(CompletionException.class, failed::join, others.toString());
    }
    assertThrows(ClosedException.class, () -> own.allocate(1, stream));
  }

  @Test
  @DisplayName("45.5 memory that a cancelled request gets too late is worth waiting for")
  void cancelledWithinAnAttempt() {
    AtomicReference<Runnable> meanwhile = new AtomicReference<>(() -> {});
    Allocator slow =
        new ForwardingAllocator(scene.allocator, new PartLock("slow")) {
          @Override
          Allocation take(long bytes, long alignment, Stream on) {
            Allocation made = takeUpstream(bytes, alignment, on);
            meanwhile.getAndSet(() -> {}).run();
            return made;
          }
        };
    WaitingAllocator shared = WaitingAllocator.over(slow, LONG);
    Allocation held = shared.allocate(200 * MIB, stream);
    CompletableFuture<Allocation> gone =
        shared.allocateAsync(150 * MIB, stream, attempts::add).toCompletableFuture();
    makeAttempts();
    held.close();
    List<CompletableFuture<Allocation>> next = new ArrayList<>();
    meanwhile.set(
        () -> {
          gone.cancel(false);
          next.add(shared.allocateAsync(150 * MIB, stream, Runnable::run).toCompletableFuture());
        });
    makeAttempts();
    next.get(0).join().close();
    shared.close();
  }
}
