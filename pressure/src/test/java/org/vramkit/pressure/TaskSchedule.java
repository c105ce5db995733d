package org.vramkit.pressure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.device.Stream;

/**
 * Runs three tasks of four steps each, one step at a time, in an order that a list of choices
 * gives. A task allocates half of its memory, then the other half, works, and closes both. Threads
 * are real; between two choices each of them stands at a step, waits in the {@link Retry}, or has
 * ended.
 */
final class TaskSchedule {
  static final int TASKS = 3;

  /** The work of a task on its two blocks, its third step. */
  interface Work {
    long sum(Allocation first, Allocation second, List<Integer> input);
  }

  private final Retry retry;
  private final Stream stream;
  private final long bytesOfElement;
  private final Work work;
  private final List<Integer> prefix;

  /** The choices of this run, and the number of alternatives of each. */
  final List<Integer> chosen = new ArrayList<>();

  final List<Integer> options = new ArrayList<>();

  /** Guards the fields below. */
  private final ReentrantLock lock = new ReentrantLock();

  private final Condition changed = lock.newCondition();
  private final boolean[] atStep = new boolean[TASKS];

  private final boolean[] over = new boolean[TASKS];
  private int turn = -1;

  /** Number of started tasks; accessed only by the thread that makes the choices. */
  private int submitted;

  TaskSchedule(
      Allocator memory, Stream stream, long bytesOfElement, Work work, List<Integer> prefix) {
    this.retry = Retry.over(memory);
    this.stream = stream;
    this.bytesOfElement = bytesOfElement;
    this.work = work;
    this.prefix = prefix;
  }

  /** Runs all tasks; each must end with the sum of its input. */
  RetryStatistics run(ExecutorService threads) {
    List<CompletableFuture<List<Long>>> tasks = new ArrayList<>();
    for (int i = 0; i < TASKS; i++) {
      int number = i;
      submitted++;
      tasks.add(CompletableFuture.supplyAsync(() -> runTask(number), threads));
      // Makes the first task the oldest.
      awaitQuiet();
    }
    List<Integer> ready = awaitQuiet();
    while (!ready.isEmpty()) {
      int wanted = chosen.size() < prefix.size() ? prefix.get(chosen.size()) : 0;
      int choice = Math.min(wanted, ready.size() - 1);
      options.add(ready.size());
      chosen.add(choice);
      let(ready.get(choice));
      ready = awaitQuiet();
    }
    for (int i = 0; i < TASKS; i++) {
      long sum = tasks.get(i).join().stream().mapToLong(Long::longValue).sum();
      assertEquals(10L + 4L * i, sum, "task " + i + ", choices " + chosen);
    }
    return retry.getStatistics();
  }

  private List<Long> runTask(int number) {
    try {
      List<Integer> input = List.of(1 + number, 2 + number, 3 + number, 4 + number);
      return retry.withSplit(
          "task " + number,
          input,
          TaskSchedule::halve,
          (piece, memory) -> apply(number, piece, memory));
    } finally {
      end(number);
    }
  }

  static List<List<Integer>> halve(List<Integer> input) {
    int middle = input.size() / 2;
    return middle == 0
        ? List.of()
        : List.of(input.subList(0, middle), input.subList(middle, input.size()));
  }

  private Long apply(int number, List<Integer> piece, Allocator memory) {
    long half = bytesOfElement * piece.size() / 2;
    step(number);
    try (Allocation first = memory.allocate(half, stream)) {
      step(number);
      try (Allocation second = memory.allocate(half, stream)) {
        step(number);
        long sum = work.sum(first, second, piece);
        step(number);
        return sum;
      }
    }
  }

  private void step(int number) {
    lock.lock();
    try {
      atStep[number] = true;
      while (turn != number) {
        changed.awaitUninterruptibly();
      }
      turn = -1;
      atStep[number] = false;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void end(int number) {
    lock.lock();
    try {
      over[number] = true;
    } finally {
      lock.unlock();
    }
  }

  private void let(int number) {
    lock.lock();
    try {
      turn = number;
      changed.signalAll();
      while (turn == number) {
        changed.awaitUninterruptibly();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Waits until no task can continue without a choice; returns the tasks that stand at a step. */
  private List<Integer> awaitQuiet() {
    // Interrupted when the test's time is over.
    while (!Thread.currentThread().isInterrupted()) {
      List<Integer> ready = new ArrayList<>();
      int elsewhere = 0;
      lock.lock();
      try {
        for (int i = 0; i < submitted; i++) {
          if (atStep[i]) {
            ready.add(i);
          } else if (!over[i]) {
            elsewhere++;
          }
        }
      } finally {
        lock.unlock();
      }
      RetryStatistics now = retry.getStatistics();
      if (elsewhere == now.blocked() + now.rolledBack()) {
        return ready;
      }
      LockSupport.parkNanos(1_000);
    }
    return fail("stuck after the choices " + chosen + ": " + retry.getStatistics());
  }

  /** Returns the choices of the next run of an exhaustive search; null after the last run. */
  static @Nullable List<Integer> next(TaskSchedule last) {
    for (int i = last.chosen.size() - 1; i >= 0; i--) {
      if (last.chosen.get(i) + 1 < last.options.get(i)) {
        List<Integer> prefix = new ArrayList<>(last.chosen.subList(0, i));
        prefix.add(last.chosen.get(i) + 1);
        return prefix;
      }
    }
    return null;
  }
}
