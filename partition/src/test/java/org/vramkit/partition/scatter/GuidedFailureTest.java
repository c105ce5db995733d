package org.vramkit.partition.scatter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.partition.scatter.Gpus.assertClean;
import static org.vramkit.partition.scatter.Gpus.awaitQuietly;
import static org.vramkit.partition.scatter.Gpus.backend;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.error.ClosedException;
import org.vramkit.partition.device.DevicePool;
import org.vramkit.sim.SimBackend;

@DisplayName("Guided scatter that the user's own code or an interrupt ends")
@SuppressWarnings("try") // scatters are closed early, so that leaks show
class GuidedFailureTest {
  private static final int UNITS = 1000;

  @Test
  @DisplayName("17 the user's failure is thrown; chunks under way end, no other is begun")
  void usersFailureIsThrown() {
    IllegalStateException mine = new IllegalStateException("mine");
    try (SimBackend backend = backend(3);
        Scatter scatter = Scatter.over(DevicePool.of(backend))) {
      AtomicInteger running = new AtomicInteger();
      AtomicInteger begun = new AtomicInteger();
      assertSame(
          mine,
          assertThrows(
              IllegalStateException.class,
              () ->
                  scatter.run(
                      UNITS,
                      Schedule.guided(),
                      (from, to) -> {
                        throw new AssertionError("covered up by the CPU");
                      },
                      tile -> {
                        running.incrementAndGet();
                        try {
                          if (begun.incrementAndGet() == 9) {
                            throw mine;
                          }
                          GuidedTasks.write(tile);
                        } finally {
                          running.decrementAndGet();
                        }
                      })));
      assertEquals(0, running.get());
      assertClean(backend);
    }
  }

  @Test
  @DisplayName(
      "18 of two failures, the one of the chunk assigned first is thrown, the other suppressed")
  void earliestChunksFailureIsThrown() {
    CountDownLatch both = new CountDownLatch(2);
    try (SimBackend backend = backend(2);
        Scatter scatter = Scatter.over(DevicePool.of(backend))) {
      IllegalStateException e =
          assertThrows(
              IllegalStateException.class,
              () ->
                  scatter.run(
                      2,
                      Schedule.guided(),
                      tile -> {
                        both.countDown();
                        awaitQuietly(both);
                        throw new IllegalStateException("" + tile.getIndex());
                      }));
      assertEquals("0", e.getMessage());
      assertEquals("1", e.getSuppressed()[0].getMessage());
    }
  }

  @Test
  @DisplayName("21 an error is thrown as it is, before exceptions")
  void errorsComeBeforeExceptions() {
    CountDownLatch both = new CountDownLatch(2);
    StackOverflowError mine = new StackOverflowError("mine");
    try (SimBackend backend = backend(2);
        Scatter scatter = Scatter.over(DevicePool.of(backend))) {
      assertSame(
          mine,
          assertThrows(
              StackOverflowError.class,
              () ->
                  scatter.run(
                      2,
                      Schedule.guided(),
                      (from, to) -> {
                        throw new AssertionError("covered up by the CPU");
                      },
                      tile -> {
                        both.countDown();
                        awaitQuietly(both);
                        if (tile.getIndex() == 1) {
                          throw mine;
                        }
                        throw new IllegalStateException("other");
                      })));
    }
  }

  @Test
  @DisplayName("22 an interrupted caller stops issuing, waits for what runs, and stays interrupted")
  void interruptStopsIssuing() {
    try (SimBackend backend = backend(2);
        Scatter scatter = Scatter.over(DevicePool.of(backend))) {
      Thread caller = Thread.currentThread();
      AtomicInteger running = new AtomicInteger();
      ScatterException e =
          assertThrows(
              ScatterException.class,
              () ->
                  scatter.run(
                      UNITS,
                      Schedule.guided(),
                      tile -> {
                        running.incrementAndGet();
                        caller.interrupt();
                        while (!tile.isCancelled()) {
                          Thread.onSpinWait();
                        }
                        running.decrementAndGet();
                      }));
      assertTrue(Thread.interrupted(), "the interrupt is lost");
      assertTrue(e.toString().contains("interrupted"), e.toString());
      assertEquals(0, running.get());
      assertClean(backend);
    }
  }

  @Test
  @DisplayName("close() during a scatter lets chunks under way end, and ends it")
  void closeLetsChunksUnderWayEnd() throws InterruptedException {
    try (SimBackend backend = backend(2)) {
      Scatter scatter = Scatter.over(DevicePool.of(backend));
      CountDownLatch begun = new CountDownLatch(2);
      CountDownLatch closing = new CountDownLatch(1);
      Thread closer =
          new Thread(
              () -> {
                awaitQuietly(begun);
                // Sets only the flag: the workers end after the chunks, which wait for this
                // thread.
                Thread ending = new Thread(scatter::close);
                ending.start();
                while (ending.getState() != Thread.State.TIMED_WAITING) {
                  Thread.onSpinWait();
                }
                closing.countDown();
                try {
                  ending.join();
                } catch (InterruptedException e) {
                  throw new AssertionError(e);
                }
              });
      closer.start();
      assertThrows(
          ClosedException.class,
          () ->
              scatter.run(
                  UNITS,
                  Schedule.guided(),
                  tile -> {
                    begun.countDown();
                    awaitQuietly(closing);
                  }));
      closer.join();
      assertThrows(ClosedException.class, () -> scatter.run(1, Schedule.guided(), tile -> {}));
      assertClean(backend);
    }
  }
}
