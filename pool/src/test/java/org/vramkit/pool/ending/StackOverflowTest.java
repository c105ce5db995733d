package org.vramkit.pool.ending;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.vramkit.api.device.Stream;
import org.vramkit.pool.caching.ScriptedStream;

/** The driver is a few lines of fields, which no missing stack can leave in between. */
@DisplayName("42.23 A stack that overflows in the middle of a call, many times,")
@Tag("own-schedules")
class StackOverflowTest {
  private static final int ROUNDS = 150;
  private static final long STACK_BYTES = 256 * 1024;

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "DRIVER_POOL")
  @DisplayName("loses no memory, hands none out twice and hangs no thread")
  void overflows(Kind kind) throws InterruptedException {
    run(kind, ROUNDS);
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "DRIVER_POOL")
  @Tag("soak")
  @DisplayName("does so in as many rounds as the soak has seconds")
  void overflowsLong(Kind kind) throws InterruptedException {
    run(kind, Math.max(ROUNDS, Integer.getInteger("vramkit.soak.seconds", ROUNDS)));
  }

  private static void run(Kind kind, int rounds) throws InterruptedException {
    // Loads classes, which the JVM does not survive at the end of a stack.
    Round first = new Round(kind, new SplittableRandom(1));
    for (int i = 0; i < 20; i++) {
      first.descend(1);
    }
    first.end();
    int broken = 0;
    for (int round = 0; round < rounds; round++) {
      long seed = round;
      AtomicReference<Throwable> failure = new AtomicReference<>();
      Round program = new Round(kind, new SplittableRandom(seed));
      Thread thread = new Thread(null, program::run, "round " + round, STACK_BYTES);
      thread.setDaemon(true);
      thread.setUncaughtExceptionHandler((unused, e) -> failure.set(e));
      thread.start();
      thread.join();
      assertTrue(!thread.isAlive(), kind + " hangs, seed " + seed);
      Thread end = new Thread(null, program::end, "end of round " + round);
      end.setDaemon(true);
      end.setUncaughtExceptionHandler((unused, e) -> failure.set(e));
      end.start();
      end.join();
      assertTrue(!end.isAlive(), kind + " hangs at its end, seed " + seed);
      if (failure.get() != null) {
        throw new AssertionError(kind + ", seed " + seed, failure.get());
      }
      broken += program.isBroken ? 1 : 0;
    }
    assertTrue(broken > rounds / 20, "only " + broken + " overflows came in the middle of a call");
  }

  /** One subject, used ever deeper in the stack until an overflow has broken it. */
  private static final class Round {
    private final PlainDevice device = new PlainDevice();
    private final Stream one = new ScriptedStream(device, 1);
    private final Stream other = new ScriptedStream(device, 2);
    private final Subject subject;
    private final SplittableRandom random;

    /** An array: the end of the stack must not come between a handle and what keeps it. */
    private final @Nullable Held[] held = new Held[3];

    private int count;
    private int steps;
    private int reached;
    boolean isBroken;

    Round(Kind kind, SplittableRandom random) {
      this.subject = kind.create(device);
      this.random = random;
    }

    void run() {
      for (int from = deepest() - 200 + random.nextInt(20); !isBroken && steps < 1000; from++) {
        steps++;
        try {
          descend(from);
        } catch (StackOverflowError | InternalError e) {
          // The next one begins less deep where the stack ended before the call.
          from -= reached < from ? random.nextInt(100, 200) : 0;
        } catch (IllegalStateException e) {
          isBroken = true;
          assertTrue(String.valueOf(e.getMessage()).contains("is broken"), e::toString);
          assertInstanceOf(VirtualMachineError.class, e.getCause());
        }
      }
    }

    private int deepest() {
      try {
        descend(Integer.MAX_VALUE);
      } catch (StackOverflowError e) {
        return reached;
      }
      throw new AssertionError("a stack without end");
    }

    private void descend(int depth) {
      reached = 0;
      descendOn(depth);
    }

    private void descendOn(int left) {
      reached++;
      if (left > 1) {
        descendOn(left - 1);
      } else if (count < held.length) {
        Held made = subject.take(subject.unit(), random.nextBoolean() ? one : other);
        held[count] = made;
        count++;
        made.recordUse(other);
      } else {
        requireNonNull(held[count - 1]).close();
        count--;
      }
    }

    void end() {
      while (count > 0) {
        count--;
        requireNonNull(held[count]).close();
      }
      subject.close();
      subject.closeBeneath();
      assertEquals(0, device.live(), "memory and events of the driver");
    }
  }
}
