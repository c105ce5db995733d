package org.vramkit.pool.ending;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;
import org.vramkit.pool.caching.ThreadKind;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimStream;

/**
 * Threads that meet at the close of a subject, a round each time. Closed is closed: what is taken
 * is taken before, or refused; a close that is refused changes nothing; nothing is lost.
 */
final class CloseRaces implements AutoCloseable {
  private static final int MOST_TAKES = 20;

  private final SimBackend backend =
      SimBackend.builder().device(DeviceProfile.SMALL_8GIB).bytes(false).build();
  private final SimDevice device = backend.getDevice(0);
  private final SimStream one = device.createStream();
  private final SimStream other = device.createStream();
  private final Kind kind;
  private final ExecutorService threads;
  private final SplittableRandom random;

  CloseRaces(Kind kind, ThreadKind threads, long seed) {
    this.kind = kind;
    this.threads = threads.newExecutor();
    this.random = new SplittableRandom(seed);
  }

  @Override
  public void close() {
    threads.shutdown();
    assertTrue(hasEnded(), "a thread hangs");
    one.close();
    other.close();
    assertEquals(List.of(), backend.getHazards(), "hazards");
    assertEquals(List.of(), backend.getWarnings(), "warnings");
    assertEquals(List.of(), backend.getLeaks(), "leaks");
    backend.close();
  }

  private boolean hasEnded() {
    try {
      return threads.awaitTermination(1, TimeUnit.HOURS);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  // ---- the races ----

  /** Two threads take and give back, until one that closes has its way. */
  void againstTakes() throws Exception {
    Subject subject = kind.create(device);
    List<Callable<Void>> all = new ArrayList<>();
    for (Stream stream : List.of(one, other)) {
      SplittableRandom own = random.split();
      all.add(() -> takeUntilClosed(subject, stream, own));
    }
    all.add(() -> closeAtLast(subject));
    runAll(all);
    end(subject);
  }

  /** Three threads close at once; to each of them it is closed when it comes back. */
  void againstCloses() throws Exception {
    Subject subject = kind.create(device);
    takeAndReturn(subject, one);
    takeAndReturn(subject, other);
    Callable<Void> closer =
        () -> {
          subject.close();
          subject.assertEnded();
          return null;
        };
    runAll(List.of(closer, closer, closer));
    end(subject);
  }

  /** One thread gives the last that is held back while the other closes. */
  void againstReturns() throws Exception {
    Subject subject = kind.create(device);
    Held held = subject.take(subject.unit(), one);
    held.work(one);
    held.recordUse(one);
    runAll(
        List.of(
            () -> {
              held.close();
              return null;
            },
            () -> closeAtLast(subject)));
    end(subject);
  }

  /** The same threads as against takes, each with an interrupt pending at every step. */
  void interrupted() throws Exception {
    Subject subject = kind.create(device);
    Callable<Void> user =
        () -> {
          for (int i = 0; i < MOST_TAKES; i++) {
            Thread.currentThread().interrupt();
            // More than half of all: they have to wait for each other's work.
            try (Held held = subject.take(subject.unit(), i % 2 == 0 ? one : other)) {
              held.work(i % 2 == 0 ? one : other);
            }
            subject.trim();
            assertTrue(Thread.interrupted(), "the interrupt is gone");
          }
          return null;
        };
    runAll(List.of(user, user));
    Thread.currentThread().interrupt();
    subject.close();
    assertTrue(Thread.interrupted(), "the interrupt is gone");
    end(subject);
  }

  // ---- what the threads do ----

  private static Void takeUntilClosed(Subject subject, Stream stream, SplittableRandom random) {
    for (int i = 0; i < MOST_TAKES; i++) {
      try (Held held = subject.take(1 + random.nextLong(4096), stream)) {
        assertTrue(held.size() > 0);
        if (random.nextBoolean()) {
          held.work(stream);
        }
      } catch (ClosedException closed) {
        assertThrows(ClosedException.class, () -> subject.take(1, stream), "closed is closed");
        return null;
      }
      if (random.nextInt(8) == 0) {
        subject.trim();
      }
    }
    return null;
  }

  /** Closes; where that is refused as something is held, once more. */
  private Void closeAtLast(Subject subject) {
    while (true) {
      try {
        subject.close();
        assertThrows(ClosedException.class, () -> subject.take(1, one));
        return null;
      } catch (ClosedException e) {
        throw new AssertionError("a close is never refused for being closed", e);
      } catch (IllegalStateException held) {
        Thread.onSpinWait();
      }
    }
  }

  private static void takeAndReturn(Subject subject, Stream stream) {
    try (Held held = subject.take(subject.unit(), stream)) {
      held.work(stream);
    }
  }

  private void runAll(List<Callable<Void>> all) throws Exception {
    CyclicBarrier start = new CyclicBarrier(all.size());
    List<Future<Void>> running = new ArrayList<>();
    for (Callable<Void> each : all) {
      running.add(
          threads.submit(
              () -> {
                start.await();
                return each.call();
              }));
    }
    for (Future<Void> each : running) {
      each.get(1, TimeUnit.HOURS);
    }
  }

  private void end(Subject subject) {
    subject.close();
    subject.closeBeneath();
    subject.assertEmpty();
    assertEquals(
        List.of(one.getHandle(), other.getHandle()),
        backend.getLeaks().stream().map(leak -> leak.handle()).toList(),
        () -> "all that is left: " + backend.getLeaks());
    device.synchronize();
  }
}
