package org.vramkit.pressure;

import static java.util.Objects.requireNonNull;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.error.Batch;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.DriverStatus;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.units.Count;

/**
 * Runs tasks that share memory. A task that runs out of memory waits, rolls back, or continues with
 * smaller inputs instead of failing. Tasks run on the threads that call {@link #withSplit}, any
 * number of them.
 *
 * <p>An allocation that finds too little memory waits for a close of another task, while its own
 * task keeps its memory. When all tasks wait, the youngest task that holds memory rolls back: its
 * attempt ends with an exception, all allocations of the attempt are closed, and the task runs
 * again once another task has made progress. The oldest task is never rolled back for others, so
 * tasks end. If no other task holds memory, a task that runs out of memory runs again on halves of
 * its input. If its input cannot be halved, it fails with an error that names it.
 *
 * <p>A task that waits for something else, such as a lock, a queue or another pool, tells so by
 * {@link #waiting}; {@link WaitingAllocator} and {@link Admission} do this themselves. Otherwise it
 * counts as running, and tasks that wait for each other in this way wait for ever. A task that has
 * waited for 10 seconds is logged, with the tasks that run.
 *
 * <p>The function must be repeatable: it runs again from its input, or from the parts of the input
 * that are not completed.
 */
public final class Retry {
  private static final Parts<Retry, RetryStatistics> PARTS =
      new Parts<>(
          retry -> retry.allocator.getDevice(),
          Retry::getStatistics,
          "RetryStatistics",
          "Tasks that wait, roll back and divide their inputs",
          RetryStatistics::getMetrics);

  /** The most causes of an exception that are looked at, because they may form a circle. */
  private static final int MOST_CAUSES = 64;

  private final Allocator allocator;
  private final RetryTasks tasks;

  Retry(Allocator allocator, RetryTasks tasks) {
    this.allocator = requireNonNull(allocator, "allocator");
    this.tasks = tasks;
    PARTS.show(this);
  }

  /**
   * Creates an object that runs tasks on the memory of an allocator; its tasks wait for each other.
   */
  public static Retry over(Allocator allocator) {
    return new Retry(allocator, new RetryTasks());
  }

  /**
   * Runs one task.
   *
   * @param name the task's name, for error messages
   * @param input the input of the whole task
   * @param halving divides an input into two or more smaller ones, in order; returns an empty list
   *     or a single element if the input cannot be divided
   * @param function processes an input, or a piece of it, with memory from the given allocator.
   *     Allocations that are open when it returns belong to its result, and the caller closes them.
   *     An out of memory that is the cause of another exception, as of an {@code
   *     ExecutionException}, counts like one that the function throws itself
   * @return the results of the pieces, in order; one if nothing was divided
   * @throws DeviceOutOfMemoryException if the smallest piece finds too little memory while no other
   *     task holds any; the message names the task, and the cause has the report
   * @throws RuntimeException any other exception of the function; in both cases all allocations of
   *     the task are closed
   * @throws InvalidArgumentException if {@code halving} returns its argument among others
   * @throws CancellationException if the thread is interrupted while the task waits
   */
  public <I, R> List<R> withSplit(
      String name,
      I input,
      Function<? super I, ? extends List<? extends I>> halving,
      PieceFunction<? super I, ? extends R> function) {
    requireNonNull(name, "name");
    requireNonNull(input, "input");
    requireNonNull(halving, "halving");
    requireNonNull(function, "function");
    if (tasks.isInside()) {
      throw new InvalidArgumentException(
          "task \""
              + name
              + "\" is run inside another task of the same Retry, which would wait for itself;"
              + " call its function directly");
    }
    RetryTask task = tasks.begin(name);
    try {
      TaskAllocator memory = new TaskAllocator(allocator, tasks, task);
      try {
        List<R> results = runPieces(task, memory, input, halving, function);
        memory.end();
        return results;
      } catch (Throwable e) {
        Batch.after(e, memory::fail);
        throw e;
      }
    } finally {
      try {
        tasks.end(task);
      } catch (VirtualMachineError | LinkageError e) {
        tasks.lock.brokenBy = e;
      }
    }
  }

  /**
   * Waits for something other than memory. Meanwhile the tasks that the calling thread runs do not
   * count as running, so that tasks which wait for their memory can go on. Does not affect threads
   * without a task.
   *
   * @param wait blocks until it is over; must not allocate, and must not wait for another thread
   *     that allocates for the same task
   * @return the result of {@code wait}
   * @throws E as {@code wait} does
   */
  public static <T extends @Nullable Object, E extends Exception> T waiting(Wait<T, E> wait)
      throws E {
    return RetryTasks.waiting(wait);
  }

  /** Returns the current statistics. */
  public RetryStatistics getStatistics() {
    return tasks.getStatistics();
  }

  private <I, R> List<R> runPieces(
      RetryTask task,
      TaskAllocator memory,
      I input,
      Function<? super I, ? extends List<? extends I>> halving,
      PieceFunction<? super I, ? extends R> function) {
    Deque<I> left = new ArrayDeque<>();
    left.add(input);
    List<R> results = new ArrayList<>();
    while (!left.isEmpty()) {
      I piece = left.remove();
      try {
        results.add(function.apply(piece, memory));
        memory.checkpoint();
        tasks.advanced(task);
      } catch (Exception e) {
        DeviceOutOfMemoryException failure = outOfMemoryOf(e);
        if (failure == null) {
          throw e;
        }
        Batch.after(e, memory::rollBack);
        if (tasks.rollBack(task)) {
          left.addFirst(piece);
          continue;
        }
        List<? extends I> halves = halving.apply(piece);
        if (halves.size() < 2) {
          if (tasks.rollBackUnsplit(task)) {
            left.addFirst(piece);
            continue;
          }
          boolean isTooLarge = memory.isTooLarge(failure.getRequestedBytes());
          throw tooSmall(task, results.size(), isTooLarge, failure);
        }
        if (halves.contains(piece)) {
          throw notSmaller(task, e);
        }
        tasks.split(task);
        for (int i = halves.size() - 1; i >= 0; i--) {
          left.addFirst(halves.get(i));
        }
      }
    }
    return results;
  }

  /** Returns the out of memory that an exception is or was caused by; null if there is none. */
  private static @Nullable DeviceOutOfMemoryException outOfMemoryOf(Exception thrown) {
    Throwable cause = thrown;
    for (int i = 0; i < MOST_CAUSES && cause != null; i++) {
      if (cause instanceof DeviceOutOfMemoryException found) {
        return found;
      }
      cause = cause.getCause();
    }
    return null;
  }

  private static DeviceOutOfMemoryException tooSmall(
      RetryTask task, int pieces, boolean isTooLarge, DeviceOutOfMemoryException cause) {
    return new DeviceOutOfMemoryException(
        "task \""
            + task.name
            + "\" ran out of memory after "
            + Count.of(pieces, "piece")
            + ", on an input that cannot be halved, "
            + (isTooLarge
                ? "and asked for more than there is; divide the input further: "
                : "while no other task held memory; free memory that is held outside of tasks, or"
                    + " divide the input further: ")
            + cause.getMessage(),
        cause.getRequestedBytes(),
        DriverStatus.NONE,
        cause);
  }

  private static InvalidArgumentException notSmaller(RetryTask task, Exception cause) {
    InvalidArgumentException error =
        new InvalidArgumentException(
            "the halving of task \""
                + task.name
                + "\" returned the input itself, so the task would never end; return smaller inputs,"
                + " or a list of one element if the input cannot be divided");
    error.addSuppressed(cause);
    return error;
  }

  /** Processes an input, or a piece of it. */
  @FunctionalInterface
  public interface PieceFunction<I, R> {

    /**
     * Processes a piece. The function closes the allocations that its result does not need; if it
     * throws, all its open allocations are closed.
     *
     * @param piece the input, or a part of it
     * @param memory allocates for this task
     */
    R apply(I piece, Allocator memory);
  }

  /** A wait for something other than memory, such as {@code future::get}. */
  @FunctionalInterface
  public interface Wait<T extends @Nullable Object, E extends Exception> {

    /** Blocks until the wait is over. */
    T await() throws E;
  }
}
