package org.vramkit.pool.ending;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.vramkit.api.device.Device;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.ScriptedStream;

/** The driver is a few lines of fields, which no missing stack can leave in between. */
@DisplayName("42.23 A stack that overflows in the middle of a call")
@Tag("own-schedules")
class StackOverflowTest {
  private static final int ROUNDS = 15;
  private static final long STACK_BYTES = 256 * 1024;
  private static final long KIB = 1024;

  /** Every allocator and pool that needs no more of a driver than the device has. */
  static Stream<Arguments> subjects() {
    Function<Device, Subject> caching =
        device -> new AllocatorSubject(CachingAllocator.create(device));
    return Stream.concat(
        Stream.of(Kind.values())
            .filter(kind -> kind != Kind.DRIVER_POOL)
            .map(kind -> Arguments.of(kind.name(), (Function<Device, Subject>) kind::create)),
        Stream.of(Arguments.of("CACHING", caching)));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("subjects")
  @DisplayName("leaves no thread waiting: all calls end, by an error once the pool is broken")
  void overflows(String name, Function<Device, Subject> maker) throws InterruptedException {
    run(name, maker, ROUNDS);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("subjects")
  @Tag("soak")
  @DisplayName("does so in as many rounds as the soak has seconds")
  void overflowsLong(String name, Function<Device, Subject> maker) throws InterruptedException {
    run(name, maker, Math.max(ROUNDS, Integer.getInteger("vramkit.soak.seconds", ROUNDS)));
  }

  private static void run(String name, Function<Device, Subject> maker, int rounds)
      throws InterruptedException {
    // Loads classes, which the JVM does not survive at the end of a stack.
    Round first = new Round(maker, new SplittableRandom(1));
    for (int i = 0; i < 20; i++) {
      first.descend(1);
    }
    first.end();
    first.subject.closeBeneath();
    assertEquals(0, first.device.live(), "memory and events of the driver");
    int broken = 0;
    for (int seed = 0; seed < rounds; seed++) {
      Round round = new Round(maker, new SplittableRandom(seed));
      assertEquals(List.of(), round.meet(), name + ", seed " + seed);
      broken += round.isBroken ? 1 : 0;
    }
    assertTrue(broken > rounds / 20, "only " + broken + " overflows came in the middle of a call");
  }

  /** One subject, used ever deeper in the stack until an overflow has broken it. */
  private static final class Round {
    final PlainDevice device = new PlainDevice();
    private final ScriptedStream one = new ScriptedStream(device, 1);
    private final ScriptedStream other = new ScriptedStream(device, 2);
    private final Subject subject;
    private final SplittableRandom random;

    /** An array: the end of the stack must not come between a handle and what keeps it. */
    private final @Nullable Held[] held = new Held[3];

    private int count;
    private int steps;
    private int reached;
    volatile boolean isBroken;
    private volatile boolean isOver;

    Round(Function<Device, Subject> maker, SplittableRandom random) {
      this.subject = maker.apply(device);
      this.random = random;
    }

    /** Lets a thread overflow its stack beside another one, and ends; returns what failed. */
    List<Throwable> meet() throws InterruptedException {
      ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();
      Thread overflowing = start(failures, "overflows", this::overflow);
      Thread beside = start(failures, "beside", this::workBeside);
      overflowing.join();
      isOver = true;
      beside.join();
      start(failures, "ends", this::end).join();
      return List.copyOf(failures);
    }

    private static Thread start(
        ConcurrentLinkedQueue<Throwable> failures, String name, Runnable work) {
      Thread thread = new Thread(null, work, name, STACK_BYTES);
      thread.setDaemon(true);
      thread.setUncaughtExceptionHandler((unused, e) -> failures.add(e));
      thread.start();
      return thread;
    }

    private void overflow() {
      for (int from = deepest() - 200 + random.nextInt(20); !isBroken && steps < 1000; from++) {
        steps++;
        try {
          descend(from);
        } catch (StackOverflowError | InternalError e) {
          // The next one begins less deep where the stack ended before the call.
          from -= reached < from ? random.nextInt(100, 200) : 0;
        } catch (IllegalStateException e) {
          noteBroken(e);
        }
      }
    }

    private void noteBroken(IllegalStateException e) {
      isBroken = true;
      assertTrue(String.valueOf(e.getMessage()).contains("is broken"), e::toString);
      assertInstanceOf(VirtualMachineError.class, e.getCause());
    }

    private int deepest() {
      try {
        descend(Integer.MAX_VALUE);
      } catch (StackOverflowError e) {
        return reached;
      }
      throw new AssertionError("a stack without end");
    }

    private long size(SplittableRandom sizes) {
      return Math.min(subject.unit(), KIB << sizes.nextInt(13));
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
        Held made = subject.take(size(random), random.nextBoolean() ? one : other);
        held[count] = made;
        count++;
        made.recordUse(other);
      } else {
        Held last = held[count - 1];
        if (last != null) {
          last.close();
        }
        count--;
      }
    }

    private void workBeside() {
      SplittableRandom sizes = new SplittableRandom(7);
      try {
        while (!isOver) {
          subject.take(size(sizes), other).close();
          subject.trim();
        }
      } catch (IllegalStateException e) {
        noteBroken(e);
      }
    }

    void end() {
      while (count > 0) {
        count--;
        Held last = held[count];
        if (last != null) {
          last.close();
        }
      }
      subject.close();
      subject.close();
    }
  }
}
