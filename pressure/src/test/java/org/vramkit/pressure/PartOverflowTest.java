package org.vramkit.pressure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.error.DeviceOutOfMemoryException;

/** The memory beneath is one that no missing stack can leave in between. */
@DisplayName("42.23 A stack that overflows in the middle of a call about scarce memory")
@Tag("own-schedules")
class PartOverflowTest {
  private static final int ROUNDS = 6 * Integer.getInteger("vramkit.effort", 1);
  private static final long STACK_BYTES = 256 * 1024;
  private static final Duration DAY = Duration.ofDays(1);

  /** What two threads use that cannot have memory at the same time. */
  private interface Subject extends AutoCloseable {
    /** Acquires memory; returns after the last step, so that none is lost in between. */
    AutoCloseable take(int user);

    @Override
    void close();
  }

  private enum Kind {
    ADMISSION {
      @Override
      Subject open(CountedMemory memory) {
        Admission admission = Admission.over(memory).build();
        Demand demand = Demand.of("user", 60);
        return new Subject() {
          @Override
          public AutoCloseable take(int user) {
            return admission.acquire(demand, DAY);
          }

          @Override
          public void close() {
            admission.close();
          }
        };
      }
    },
    GRANT {
      @Override
      Subject open(CountedMemory memory) {
        Admission admission = Admission.over(memory).build();
        Demand demand = Demand.of("user", 30);
        Grant[] grants = {admission.acquire(demand, DAY), admission.acquire(demand, DAY)};
        return new Subject() {
          @Override
          public AutoCloseable take(int user) {
            return grants[user].getAllocator().allocate(30, memory.getStream());
          }

          @Override
          public void close() {
            grants[0].close();
            grants[1].close();
            admission.close();
          }
        };
      }
    },
    WAITING {
      @Override
      Subject open(CountedMemory memory) {
        WaitingAllocator allocator = WaitingAllocator.over(memory, DAY);
        return new Subject() {
          @Override
          public AutoCloseable take(int user) {
            return allocator.allocate(60, memory.getStream());
          }

          @Override
          public void close() {
            allocator.close();
          }
        };
      }
    },
    RETRY {
      @Override
      Subject open(CountedMemory memory) {
        Retry retry = Retry.over(memory);
        return new Subject() {
          @Override
          public AutoCloseable take(int user) {
            retry.withSplit("task", user, any -> List.of(), this::work);
            return Kind::nothing;
          }

          private int work(int user, Allocator own) {
            Allocation made = own.allocate(60, memory.getStream());
            LockSupport.parkNanos(1);
            made.close();
            return user;
          }

          @Override
          public void close() {}
        };
      }
    },
    SPILLS {
      @Override
      Subject open(CountedMemory memory) {
        SpillStore store = SpillStore.over(memory).hostLimit(1000).build();
        Spillable[] spillables = {store.create(60, 0), store.create(60, 0)};
        return new Subject() {
          @Override
          public AutoCloseable take(int user) {
            try {
              return spillables[user].materialize(memory.getStream());
            } catch (DeviceOutOfMemoryException leased) {
              return Kind::nothing; // The other user's bytes stay on the device during its lease.
            }
          }

          @Override
          public void close() {
            spillables[0].close();
            spillables[1].close();
            store.close();
          }
        };
      }
    };

    private static void nothing() {}

    abstract Subject open(CountedMemory memory);
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("leaves no thread waiting: all calls end, by an error once the part is broken")
  void overflows(Kind kind) throws Exception {
    // Loads classes, which the JVM does not survive at the end of a stack.
    CompletableFuture<Kind> loading = new CompletableFuture<>();
    CompletableFuture<Kind> loaded = loading.whenComplete((any, error) -> {});
    assertThrows(TimeoutException.class, () -> loaded.get(1, TimeUnit.NANOSECONDS));
    loading.complete(kind);
    Round first = new Round(kind, new SplittableRandom(1));
    assertEquals(List.of(), first.meetWithEnoughStack(), kind.name());
    assertEquals(0, first.memory.getLive());
    int broken = 0;
    for (int seed = 0; seed < ROUNDS; seed++) {
      Round round = new Round(kind, new SplittableRandom(seed));
      assertEquals(List.of(), round.meet(), kind + ", seed " + seed);
      broken += round.isBroken ? 1 : 0;
    }
    assertTrue(broken > ROUNDS / 20, "only " + broken + " overflows came in the middle of a call");
  }

  /** One subject, used ever deeper in the stack until an overflow has broken it. */
  private static final class Round {
    final CountedMemory memory = new CountedMemory(100);
    private final Subject subject;
    private final SplittableRandom random;

    /** An array: the end of the stack must not come between a handle and what keeps it. */
    private final @Nullable AutoCloseable[] held = new AutoCloseable[1];

    private int steps;
    private int reached;
    volatile boolean isBroken;
    private volatile boolean isOver;

    Round(Kind kind, SplittableRandom random) {
      this.subject = kind.open(memory);
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

    List<Throwable> meetWithEnoughStack() throws InterruptedException {
      ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();
      List<Thread> users =
          List.of(start(failures, "one", this::work), start(failures, "two", this::work));
      for (Thread each : users) {
        each.join();
      }
      start(failures, "ends", this::end).join();
      return List.copyOf(failures);
    }

    private void work() throws Exception {
      int user = Thread.currentThread().getName().equals("one") ? 0 : 1;
      for (int i = 0; i < 500; i++) {
        AutoCloseable taken = subject.take(user);
        LockSupport.parkNanos(1); // so that the other user waits
        taken.close();
      }
    }

    /** Work that may throw anything. */
    private interface Work {
      void run() throws Exception;
    }

    private static Thread start(ConcurrentLinkedQueue<Throwable> failures, String name, Work work) {
      Runnable caught =
          () -> {
            try {
              work.run();
            } catch (Throwable e) { // all of them are failures
              failures.add(e);
            }
          };
      Thread thread = new Thread(null, caught, name, STACK_BYTES);
      thread.setDaemon(true);
      thread.start();
      return thread;
    }

    private void overflow() throws Exception {
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
      letGo();
    }

    private void noteBroken(IllegalStateException e) {
      isBroken = true;
      assertTrue(String.valueOf(e.getMessage()).contains("is broken"), e::toString);
      assertInstanceOf(VirtualMachineError.class, e.getCause());
    }

    private int deepest() throws Exception {
      try {
        descend(Integer.MAX_VALUE);
      } catch (StackOverflowError e) {
        return reached;
      }
      throw new AssertionError("a stack without end");
    }

    void descend(int depth) throws Exception {
      reached = 0;
      descendOn(depth);
    }

    private void descendOn(int left) throws Exception {
      reached++;
      if (left > 1) {
        descendOn(left - 1);
        return;
      }
      AutoCloseable last = held[0];
      if (last == null) {
        held[0] = subject.take(0);
      } else {
        last.close();
        held[0] = null;
      }
    }

    private void letGo() throws Exception {
      AutoCloseable last = held[0];
      if (last != null) {
        last.close();
        held[0] = null;
      }
    }

    private void workBeside() throws Exception {
      try {
        while (!isOver) {
          subject.take(1).close();
        }
      } catch (IllegalStateException e) {
        noteBroken(e);
      }
    }

    void end() throws Exception {
      letGo();
      subject.close();
      subject.close();
    }
  }
}
