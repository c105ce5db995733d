package org.vramkit.pressure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.pressure.Scene.MIB;
import static org.vramkit.pressure.Scene.says;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.pool.decorator.LimitingAllocator;

@DisplayName("45.3 A task of a Retry that waits for something other than memory")
class RetryWaitsTest {
  private static final Duration HOUR = Duration.ofHours(1);
  private static final long MILLISECOND = 1_000_000;

  private final Scene scene = new Scene(256);
  private final Retry retry = Retry.over(scene.allocator);
  private final ExecutorService threads = Executors.newCachedThreadPool();

  @AfterEach
  void nothingIsLost() {
    threads.shutdown();
    RetryStatistics end = retry.getStatistics();
    assertEquals(0, end.running() + end.blocked() + end.rolledBack(), end.toString());
    scene.close();
  }

  /** Runs a task whose function may throw checked exceptions, and which cannot be halved. */
  private static <T> T run(Retry retry, String name, Body<T> body) {
    return retry
        .withSplit(
            name,
            1,
            whole -> List.of(),
            (whole, memory) -> {
              try {
                return body.run(memory);
              } catch (RuntimeException e) {
                throw e;
              } catch (Exception e) {
                throw new IllegalStateException(e);
              }
            })
        .get(0);
  }

  private interface Body<T> {
    T run(Allocator memory) throws Exception;
  }

  /**
   * Lets one task hold memory and wait for the other resource, and another hold the resource and
   * wait for memory.
   */
  private void assertEnds(Callable<AutoCloseable> resource) throws Exception {
    CountDownLatch oneHolds = new CountDownLatch(1);
    CountDownLatch twoHolds = new CountDownLatch(1);
    Future<Integer> one =
        threads.submit(
            () ->
                run(
                    retry,
                    "one",
                    memory -> {
                      try (Allocation data = memory.allocate(200 * MIB)) {
                        oneHolds.countDown();
                        twoHolds.await();
                        try (AutoCloseable taken = resource.call()) {
                          return taken == null ? 0 : data.isClosed() ? 0 : 1;
                        }
                      }
                    }));
    Future<Integer> two =
        threads.submit(
            () -> {
              oneHolds.await();
              return run(
                  retry,
                  "two",
                  memory -> {
                    try (AutoCloseable taken = resource.call()) {
                      twoHolds.countDown();
                      try (Allocation data = memory.allocate(200 * MIB)) {
                        return taken == null ? 0 : data.isClosed() ? 0 : 1;
                      }
                    }
                  });
            });
    assertEquals(2, one.get() + two.get());
    assertTrue(retry.getStatistics().rollbacks() >= 1, retry.getStatistics().toString());
  }

  @Test
  @DisplayName("45.3 tells so by Retry.waiting; a task that waits for its memory is rolled back")
  void semaphore() throws Exception {
    Semaphore staging = new Semaphore(1);
    assertEnds(
        () ->
            Retry.waiting(
                () -> {
                  staging.acquire();
                  return staging::release;
                }));
  }

  @Test
  @DisplayName("45.3 need not tell so if a WaitingAllocator makes it wait")
  void waitingAllocator() throws Exception {
    try (LimitingAllocator limited = LimitingAllocator.over(scene.allocator, 40 * MIB);
        WaitingAllocator other = WaitingAllocator.over(limited, HOUR)) {
      assertEnds(() -> other.allocate(30 * MIB));
    }
  }

  @Test
  @DisplayName("45.3 need not tell so if an Admission makes it wait")
  void admission() throws Exception {
    try (Admission other = Admission.over(scene.allocator).limit(40 * MIB).build()) {
      assertEnds(() -> other.acquire(Demand.of("staging", 30 * MIB), HOUR));
    }
  }

  @Test
  @DisplayName("45.3 need not tell so if a task of another Retry makes it wait")
  void otherRetry() throws Exception {
    try (LimitingAllocator limited = LimitingAllocator.over(scene.allocator, 40 * MIB)) {
      Retry other = Retry.over(limited);
      CountDownLatch holds = new CountDownLatch(2);
      Body<Integer> one =
          memory -> {
            try (Allocation data = memory.allocate(200 * MIB)) {
              await(holds);
              return run(other, "staging", staging -> use(staging.allocate(30 * MIB), data));
            }
          };
      Body<Integer> two =
          memory ->
              run(
                  other,
                  "staging",
                  staging -> {
                    try (Allocation staged = staging.allocate(30 * MIB)) {
                      await(holds);
                      return use(memory.allocate(200 * MIB), staged);
                    }
                  });
      Future<Integer> first = threads.submit(() -> run(retry, "one", one));
      Future<Integer> second = threads.submit(() -> run(retry, "two", two));
      assertEquals(2, first.get() + second.get());
    }
  }

  private static void await(CountDownLatch all) throws InterruptedException {
    all.countDown();
    all.await();
  }

  private static int use(Allocation one, Allocation other) {
    try (one) {
      return one.isClosed() || other.isClosed() ? 0 : 1;
    }
  }

  @Test
  @DisplayName("45.3 may wait for a task that needs its memory, which then runs on halves")
  void producer() throws Exception {
    Retry retry =
        new Retry(scene.allocator, new RetryTasks(MILLISECOND, HOUR.toNanos(), line -> {}));
    LinkedBlockingQueue<Long> made = new LinkedBlockingQueue<>();
    CountDownLatch holds = new CountDownLatch(1);
    Future<Long> consumer =
        threads.submit(
            () ->
                run(
                    retry,
                    "consumer",
                    memory -> {
                      try (Allocation data = memory.allocate(150 * MIB)) {
                        holds.countDown();
                        return data.getSize() + Retry.waiting(made::take);
                      }
                    }));
    holds.await();
    List<Long> parts =
        retry.withSplit(
            "producer",
            120 * MIB,
            bytes -> List.of(bytes / 2, bytes / 2),
            (bytes, memory) -> {
              memory.allocate(bytes).close();
              return bytes;
            });
    made.add(1L);
    assertEquals(150 * MIB + 1, consumer.get());
    assertEquals(List.of(60 * MIB, 60 * MIB), parts);
  }

  @Test
  @DisplayName("45.3 is waited for by a task that cannot be divided, instead of failing it")
  void indivisible() throws Exception {
    Retry retry =
        new Retry(scene.allocator, new RetryTasks(MILLISECOND, HOUR.toNanos(), line -> {}));
    CountDownLatch holds = new CountDownLatch(1);
    CountDownLatch done = new CountDownLatch(1);
    Future<Boolean> first =
        threads.submit(
            () ->
                run(
                    retry,
                    "first",
                    memory -> {
                      try (Allocation data = memory.allocate(150 * MIB)) {
                        holds.countDown();
                        return Retry.waiting(
                            () -> {
                              done.await();
                              return !data.isClosed();
                            });
                      }
                    }));
    holds.await();
    Future<Boolean> second =
        threads.submit(
            () ->
                run(
                    retry,
                    "second",
                    memory -> {
                      memory.allocate(120 * MIB).close();
                      return true;
                    }));
    while (retry.getStatistics().rollbacks() < 3) {
      Thread.onSpinWait();
    }
    done.countDown();
    assertTrue(first.get() && second.get());
  }

  @Test
  @DisplayName("45.3 is named in the log, once, by a task that has waited for long")
  void log() throws Exception {
    List<String> lines = new ArrayList<>();
    CountDownLatch logged = new CountDownLatch(1);
    Retry retry =
        new Retry(
            scene.allocator,
            new RetryTasks(
                HOUR.toNanos(),
                MILLISECOND,
                line -> {
                  lines.add(line);
                  logged.countDown();
                }));
    CountDownLatch holds = new CountDownLatch(1);
    Future<Boolean> busy =
        threads.submit(
            () ->
                run(
                    retry,
                    "busy",
                    memory -> {
                      try (Allocation data = memory.allocate(150 * MIB)) {
                        holds.countDown();
                        logged.await();
                        return data.isClosed();
                      }
                    }));
    holds.await();
    run(
        retry,
        "blocked",
        memory -> {
          memory.allocate(150 * MIB).close();
          return 1;
        });
    busy.get();
    assertEquals(
        List.of(
            "task \"blocked\" has waited PT0.001S for memory, while others run: [\"busy\"]; if"
                + " one of them waits for this task, let it wait by Retry.waiting"),
        lines);
  }

  @Test
  @DisplayName("45.3 changes nothing on a thread without a task, and passes its errors on")
  void noTask() throws Exception {
    assertEquals("done", Retry.waiting(() -> "done"));
    ExecutionException failed =
        assertThrows(
            ExecutionException.class,
            () -> {
              CompletableFuture<Object> broken =
                  CompletableFuture.failedFuture(new IllegalStateException("own"));
              Retry.waiting(broken::get);
            });
    says("own", failed.getCause());
  }

  @Test
  @DisplayName("45.3 an out of memory that is the cause of another exception is one too")
  void wrapped() {
    List<Long> parts =
        retry.withSplit(
            "wrapped",
            400 * MIB,
            bytes -> List.of(bytes / 2, bytes / 2),
            (bytes, memory) -> {
              Future<Allocation> made = threads.submit(() -> memory.allocate(bytes));
              try {
                made.get().close();
                return bytes;
              } catch (ExecutionException | InterruptedException e) {
                throw new IllegalStateException("cannot work", e);
              }
            });
    assertEquals(List.of(200 * MIB, 200 * MIB), parts);
    IllegalStateException circle = new IllegalStateException("circle");
    circle.initCause(new IllegalStateException("cause", circle));
    says(
        "circle",
        assertThrows(
            IllegalStateException.class,
            () ->
                run(
                    retry,
                    "other",
                    memory -> {
                      throw circle;
                    })));
  }

  @Test
  @DisplayName(
      "45.3 300 tasks at once are rolled back at most once for each that has begun or ended")
  void bounded() throws Exception {
    int count = 300;
    CountedMemory memory = new CountedMemory(100);
    Retry retry = Retry.over(memory);
    CountDownLatch begun = new CountDownLatch(count);
    AtomicInteger runs = new AtomicInteger();
    List<Future<Integer>> tasks = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      long bytes = 5L + i % 20;
      tasks.add(
          threads.submit(
              () ->
                  run(
                      retry,
                      "task",
                      own -> {
                        begun.countDown();
                        begun.await();
                        runs.incrementAndGet();
                        try (Allocation first = own.allocate(bytes, memory.getStream())) {
                          LockSupport.parkNanos(1);
                          try (Allocation second = own.allocate(bytes, memory.getStream())) {
                            return first.isClosed() || second.isClosed() ? 0 : 1;
                          }
                        }
                      })));
    }
    int ended = 0;
    for (Future<Integer> each : tasks) {
      ended += each.get();
    }
    assertEquals(count, ended);
    RetryStatistics end = retry.getStatistics();
    assertTrue(end.rollbacks() <= 3L * count, end.toString());
    assertEquals(count + end.rollbacks(), runs.get());
    assertThrows(
        DeviceOutOfMemoryException.class,
        () -> run(retry, "large", own -> own.allocate(101, memory.getStream())));
    assertEquals(0, memory.getLive());
  }
}
