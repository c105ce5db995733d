package org.vramkit.pressure;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.pressure.RetryTask.Order;
import org.vramkit.pressure.RetryTask.State;

/**
 * The tasks of a {@link Retry}; decides which task waits and which one rolls back. It has no
 * thread: the last task that stops running decides, so a deadlock is resolved when it arises. A
 * woken task counts as running from that moment, not from the moment when its thread continues.
 */
final class RetryTasks {
  /** Guards the fields below and the tasks. Code of other classes is not called under it. */
  private final ReentrantLock lock = new ReentrantLock();

  /** Tasks that have begun and not ended, the oldest first. */
  private final List<RetryTask> tasks = new ArrayList<>();

  private long begun;
  private long closes;
  private long waits;
  private long rollbacks;
  private long splits;

  RetryTask begin(String name) {
    lock.lock();
    try {
      RetryTask task = new RetryTask(name, begun++, lock.newCondition());
      tasks.add(task);
      return task;
    } finally {
      lock.unlock();
    }
  }

  /** Returns whether the calling thread runs a task. */
  boolean isInside() {
    lock.lock();
    try {
      return tasks.stream().anyMatch(task -> task.thread == Thread.currentThread());
    } finally {
      lock.unlock();
    }
  }

  void end(RetryTask task) {
    lock.lock();
    try {
      tasks.remove(task);
      advance();
    } finally {
      lock.unlock();
    }
  }

  /** Records that a piece of a task has ended. */
  void advanced(RetryTask task) {
    lock.lock();
    try {
      task.order = Order.TRY_AGAIN;
      advance();
    } finally {
      lock.unlock();
    }
  }

  void split(RetryTask task) {
    lock.lock();
    try {
      task.order = Order.TRY_AGAIN;
      splits++;
    } finally {
      lock.unlock();
    }
  }

  /** Returns the number of closes so far, for {@link #awaitClose}. */
  long getCloses() {
    lock.lock();
    try {
      return closes;
    } finally {
      lock.unlock();
    }
  }

  /** Records that a task has freed memory, so that all blocked tasks try again. */
  void closed() {
    lock.lock();
    try {
      closes++;
      tasks.stream().filter(task -> task.state == State.BLOCKED).forEach(RetryTasks::wake);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits in an allocation until another attempt may succeed.
   *
   * @param seen number of closes before the failed attempt
   * @throws DeviceOutOfMemoryException the failure, if the task has to roll back or to split
   */
  void awaitClose(RetryTask task, long seen, DeviceOutOfMemoryException failure) {
    lock.lock();
    try {
      if (task.order == Order.TRY_AGAIN && closes == seen) {
        waits++;
        stop(task, State.BLOCKED);
      }
      if (task.order != Order.TRY_AGAIN) {
        throw failure;
      }
    } finally {
      lock.unlock();
    }
  }

  /** Records that an allocation cannot succeed even if all other tasks roll back. */
  void mustSplit(RetryTask task) {
    lock.lock();
    try {
      task.order = Order.SPLIT;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits, after an attempt has freed its memory, until the task may run again.
   *
   * @return false if the task has to be split instead, because no other task held memory
   */
  boolean rollBack(RetryTask task) {
    lock.lock();
    try {
      if (task.order == Order.SPLIT || (task.order == Order.TRY_AGAIN && isAlone(task))) {
        return false;
      }
      rollbacks++;
      stop(task, State.ROLLED_BACK);
      task.order = Order.TRY_AGAIN;
      return true;
    } finally {
      lock.unlock();
    }
  }

  RetryStatistics getStatistics() {
    lock.lock();
    try {
      return new RetryStatistics(
          count(State.RUNNING),
          count(State.BLOCKED),
          count(State.ROLLED_BACK),
          begun,
          waits,
          rollbacks,
          splits);
    } finally {
      lock.unlock();
    }
  }

  private void stop(RetryTask task, State state) {
    task.state = state;
    decide();
    try {
      while (task.state != State.RUNNING) {
        task.woken.await();
      }
    } catch (InterruptedException e) {
      task.state = State.RUNNING;
      Thread.currentThread().interrupt();
      throw new CancellationException("interrupted while task \"" + task.name + "\" waited");
    }
  }

  private static void wake(RetryTask task) {
    task.state = State.RUNNING;
    // Wake all threads on which the task allocates.
    task.woken.signalAll();
  }

  /** Lets rolled-back tasks continue after another task has made progress. */
  private void advance() {
    tasks.stream().filter(task -> task.state == State.ROLLED_BACK).forEach(RetryTasks::wake);
    decide();
  }

  /** If no task runs, wakes the youngest blocked task, or the oldest task if none is blocked. */
  private void decide() {
    if (tasks.isEmpty() || count(State.RUNNING) > 0) {
      return;
    }
    RetryTask youngest = lastOf(State.BLOCKED);
    if (youngest == null) {
      wake(tasks.get(0));
      return;
    }
    youngest.order = count(State.BLOCKED) == 1 ? Order.SPLIT : Order.ROLL_BACK;
    wake(youngest);
  }

  private boolean isAlone(RetryTask task) {
    return tasks.stream().allMatch(each -> each == task || each.state == State.ROLLED_BACK);
  }

  private long count(State state) {
    return tasks.stream().filter(task -> task.state == state).count();
  }

  private @Nullable RetryTask lastOf(State state) {
    RetryTask last = null;
    for (RetryTask task : tasks) {
      last = task.state == state ? task : last;
    }
    return last;
  }
}
