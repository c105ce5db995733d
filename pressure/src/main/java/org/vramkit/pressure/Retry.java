package org.vramkit.pressure;

import static java.util.Objects.requireNonNull;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.function.Function;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.error.Batch;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.DriverStatus;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.units.Count;

/**
 * Runs tasks that share memory, and has one that runs out of it wait, roll back, or go on with
 * smaller inputs, instead of failing. A task runs on the thread that calls {@link #withSplit}; any
 * number of threads may.
 *
 * <p>An allocation that finds too little memory waits, with what its task holds, for a close of
 * another task. When all tasks wait, the youngest of those that hold memory rolls back: its attempt
 * ends by an exception, all that the attempt allocated is closed, and it is run again once another
 * task has got further. The oldest is never rolled back for others, so tasks end. A task that runs
 * out of memory with no other one in its way is run again on halves of its input, and one whose
 * input cannot be halved fails by name.
 *
 * <p>So the function must be able to run again from its input: the input is its checkpoint, and so
 * is each piece that has ended.
 */
public final class Retry {
  private final Allocator allocator;
  private final RetryTasks tasks = new RetryTasks();

  private Retry(Allocator allocator) {
    this.allocator = requireNonNull(allocator, "allocator");
    Figures.show(
        this, Retry.class, allocator.getDevice(), RetryStatistics.class, Retry::getStatistics);
  }

  /** Runs tasks on the memory of an allocator; tasks of one such object wait for each other. */
  public static Retry over(Allocator allocator) {
    return new Retry(allocator);
  }

  /**
   * Runs one task.
   *
   * @param name for the error of a task that fails
   * @param input all that the task is to work on
   * @param halving divides an input into two or more smaller ones, in order; gives an empty list or
   *     a single one for an input that cannot be divided
   * @param function works on an input, or a piece of it, with memory from the allocator that it is
   *     given. What it has allocated and not closed when it returns belongs to its result, and is
   *     the caller's to close
   * @return the results of the pieces, in order; one if nothing was divided
   * @throws DeviceOutOfMemoryException if the smallest piece finds too little memory with no other
   *     task in its way; names the task, and its cause has the report
   * @throws RuntimeException what the function throws else; in both cases all that the task has
   *     allocated is closed
   * @throws InvalidArgumentException if a halving gives the input that it was to divide
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
              + "\" is run inside of another one of the same Retry, which would wait"
              + " for itself; call its function directly");
    }
    RetryTask task = tasks.begin(name);
    try {
      TaskAllocator memory = new TaskAllocator(allocator, tasks, task);
      boolean succeeded = false;
      try {
        List<R> results = runPieces(task, memory, input, halving, function);
        succeeded = true;
        return results;
      } finally {
        memory.end(succeeded);
      }
    } finally {
      tasks.end(task);
    }
  }

  /** The figures of this moment. */
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
      } catch (DeviceOutOfMemoryException e) {
        Batch.after(e, memory::rollBack);
        if (tasks.rollBack(task)) {
          left.addFirst(piece);
          continue;
        }
        List<? extends I> halves = halving.apply(piece);
        if (halves.size() < 2) {
          throw tooSmall(task, results.size(), e);
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

  private static DeviceOutOfMemoryException tooSmall(
      RetryTask task, int pieces, DeviceOutOfMemoryException cause) {
    return new DeviceOutOfMemoryException(
        "task \""
            + task.name
            + "\" ran out of memory on an input that cannot be halved, with no other task in its"
            + " way, after "
            + Count.of(pieces, "piece")
            + "; free what is held beside the tasks, or halve further: "
            + cause.getMessage(),
        cause.getRequestedBytes(),
        DriverStatus.NONE,
        cause);
  }

  private static InvalidArgumentException notSmaller(
      RetryTask task, DeviceOutOfMemoryException cause) {
    InvalidArgumentException error =
        new InvalidArgumentException(
            "the halving of task \""
                + task.name
                + "\" gave the input that it was to divide, so the task would never end; give"
                + " smaller inputs, or a list of one for an input that cannot be divided");
    error.addSuppressed(cause);
    return error;
  }

  /** Works on one input, or a piece of one. */
  @FunctionalInterface
  public interface PieceFunction<I, R> {

    /**
     * Works on a piece. Closes what it has allocated and no longer needs; what it leaves open when
     * it throws is closed for it.
     *
     * @param piece the input, or a part that halving has made
     * @param memory allocates for this task
     */
    R apply(I piece, Allocator memory);
  }
}
