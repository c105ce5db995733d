package org.vramkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A program stands still")
class StillnessTest {
  /** What a thread does until {@link #end} is open, counting its rounds. */
  @FunctionalInterface
  private interface Round {
    void run(CountDownLatch end) throws InterruptedException;
  }

  private final LendableLock lock = new LendableLock();
  private final CountDownLatch end = new CountDownLatch(1);
  private final AtomicLong rounds = new AtomicLong();

  private Stillness measure() {
    return new Stillness(lock, 0, List::of);
  }

  /** Starts a thread that repeats a round; {@code first} may make it a caller of the simulator. */
  private Thread start(Consumer<LendableLock> first, Round round) {
    Thread thread =
        new Thread(
            () -> {
              first.accept(lock);
              try {
                while (end.getCount() > 0) {
                  round.run(end);
                  rounds.incrementAndGet();
                }
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
            });
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  private static void call(LendableLock lock) {
    lock.locked(() -> true);
  }

  private void end(Thread thread) throws InterruptedException {
    end.countDown();
    thread.join();
  }

  private static void awaitState(Thread thread, Thread.State state) {
    while (thread.getState() != state) {
      Thread.onSpinWait();
    }
  }

  /** Looks several times, each after some time and after {@code between}. */
  private static long look(Stillness stillness, Runnable between) throws InterruptedException {
    long nanos = 0;
    for (int i = 0; i < 5; i++) {
      between.run();
      TimeUnit.NANOSECONDS.sleep(stillness.interval);
      nanos = stillness.look();
    }
    return nanos;
  }

  private void awaitRounds() {
    long before = rounds.get();
    while (rounds.get() < before + 2) {
      Thread.onSpinWait();
    }
  }

  @Test
  @DisplayName("43.7 while its thread stays in one wait, with or without a timeout")
  void inOneWait() throws InterruptedException {
    Stillness stillness = measure();
    Thread untimed = start(StillnessTest::call, CountDownLatch::await);
    Thread timed = start(StillnessTest::call, latch -> latch.await(1, TimeUnit.HOURS));
    awaitState(untimed, Thread.State.WAITING);
    awaitState(timed, Thread.State.TIMED_WAITING);
    assertTrue(look(stillness, () -> {}) > 0);
    end(untimed);
    end(timed);
  }

  @Test
  @DisplayName("43.7, twin: not while a thread polls with short timeouts")
  void polling() throws InterruptedException {
    Stillness stillness = measure();
    Thread thread = start(StillnessTest::call, latch -> latch.await(1, TimeUnit.MICROSECONDS));
    assertEquals(0, look(stillness, this::awaitRounds));
    end(thread);
  }

  @Test
  @DisplayName("43.7, twin: not while a thread waits again and again without a timeout")
  void handingOver() throws InterruptedException {
    Stillness stillness = measure();
    Semaphore turns = new Semaphore(0);
    Thread thread = start(StillnessTest::call, latch -> turns.acquire());
    Runnable turn =
        () -> {
          awaitState(thread, Thread.State.WAITING);
          long before = rounds.get();
          turns.release();
          while (rounds.get() == before) {
            Thread.onSpinWait();
          }
          awaitState(thread, Thread.State.WAITING);
        };
    assertEquals(0, look(stillness, turn));
    end.countDown();
    turns.release();
    thread.join();
  }

  @Test
  @DisplayName("43.7, twin: not while a thread sleeps, or computes without a call")
  void atWork() throws InterruptedException {
    Stillness stillness = measure();
    Thread sleeper =
        start(StillnessTest::call, latch -> Thread.sleep(Duration.ofHours(1).toMillis()));
    awaitState(sleeper, Thread.State.TIMED_WAITING);
    assertEquals(0, look(stillness, () -> {}));
    sleeper.setUncaughtExceptionHandler((thread, interrupted) -> {});
    sleeper.interrupt();
    sleeper.join();
    Thread spinner = start(thread -> {}, latch -> Thread.onSpinWait());
    assertEquals(0, look(stillness, this::awaitRounds));
    end(spinner);
  }

  @Test
  @DisplayName("43.7 while only a thread computes that is older and has never called")
  void besideOthers() throws InterruptedException {
    Thread other = start(thread -> {}, latch -> Thread.onSpinWait());
    Stillness stillness = measure();
    Thread thread = start(StillnessTest::call, CountDownLatch::await);
    awaitState(thread, Thread.State.WAITING);
    assertTrue(look(stillness, () -> {}) > 0);
    end(thread);
    end(other);
  }
}
