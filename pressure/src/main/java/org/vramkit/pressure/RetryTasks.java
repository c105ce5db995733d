package org.vramkit.pressure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.pressure.RetryTask.Order;
import org.vramkit.pressure.RetryTask.State;

/**
 * The tasks of a {@link Retry}; decides which task waits and which one rolls back. It has no
 * thread: the last task that stops running decides, so a deadlock is resolved when it arises. A
 * woken task counts as running from that moment, not from the moment when its thread continues.
 *
 * <p>A task that waits elsewhere does not run, but nothing here can wake it. Tasks that were rolled
 * back for it run again when it has made progress, or after some time, because it may wait for
 * them.
 *
 * <p>Each end of a piece and each end of a task lets one task that was rolled back run again. The
 * number of rollbacks is therefore at most the number of tasks plus that of these ends. If each end
 * woke all of them, most would find too little memory again.
 */
final class RetryTasks {
  /** The innermost task that a thread runs. */
  private static final ThreadLocal<@Nullable RetryTask> CURRENT = new ThreadLocal<>();

  /** How long a task that was rolled back waits for tasks that wait elsewhere. */
  private static final long PATIENCE_NANOS = 1_000_000_000;

  /** The wait after which a task logs that it waits. */
  private static final long LONG_NANOS = 10_000_000_000L;

  /** Guards the fields below and the tasks. Code of other classes is not called under it. */
  final PartLock lock = new PartLock("a retry");

  /** Tasks that have begun and not ended, the oldest first. */
  private final List<RetryTask> tasks = new ArrayList<>();

  private final long patienceNanos;
  private final long longNanos;
  private final Consumer<String> log;
  private long begun;
  private long closes;
  private long waits;
  private long rollbacks;
  private long splits;

  RetryTasks() {
    this(
        PATIENCE_NANOS,
        LONG_NANOS,
        message ->
            System.getLogger(Retry.class.getName()).log(System.Logger.Level.WARNING, message));
  }

  /**
   * Creates an object without tasks.
   *
   * @param patienceNanos how long a task that was rolled back waits for tasks that wait elsewhere
   * @param longNanos the wait after which a task logs that it waits
   * @param log receives these messages, without a lock
   */
  RetryTasks(long patienceNanos, long longNanos, Consumer<String> log) {
    this.patienceNanos = patienceNanos;
    this.longNanos = longNanos;
    this.log = log;
  }

  RetryTask begin(String name) {
    return lock.change(
        () -> {
          begun++;
          RetryTask task = new RetryTask(name, this, CURRENT.get());
          tasks.add(task);
          CURRENT.set(task);
          return task;
        });
  }

  /** Returns whether the calling thread runs a task. */
  boolean isInside() {
    return lock.change(
        () -> tasks.stream().anyMatch(task -> task.thread == Thread.currentThread()));
  }

  void end(RetryTask task) {
    if (task.outer == null) {
      CURRENT.remove();
    } else {
      CURRENT.set(task.outer);
    }
    lock.runIfIntact(
        () -> {
          tasks.remove(task);
          advance();
        });
  }

  // ---- waits elsewhere ----

  /** Runs a wait during which the tasks of the calling thread do not count as running. */
  static <T extends @Nullable Object, E extends Exception> T waiting(Retry.Wait<T, E> wait)
      throws E {
    RetryTask task = beginWait();
    try {
      return wait.await();
    } finally {
      endWait(task);
    }
  }

  /** Begins a wait; returns the innermost task of the calling thread, for {@link #endWait}. */
  static @Nullable RetryTask beginWait() {
    RetryTask innermost = CURRENT.get();
    addWaits(innermost, null, 1);
    return innermost;
  }

  static void endWait(@Nullable RetryTask innermost) {
    addWaits(innermost, null, -1);
  }

  /** Changes the number of waits of a task and of those around it, except for one task. */
  private static void addWaits(
      @Nullable RetryTask innermost, @Nullable RetryTask except, int change) {
    for (RetryTask each = innermost; each != null; each = each.outer) {
      if (each != except) {
        each.tasks.addWait(each, change);
      }
    }
  }

  private void addWait(RetryTask task, int change) {
    lock.runIfIntact(
        () -> {
          task.waitsElsewhere += change;
          decide();
        });
  }

  // ---- the steps of a task ----

  /** Records that a piece of a task has ended. */
  void advanced(RetryTask task) {
    lock.run(
        () -> {
          task.order = Order.TRY_AGAIN;
          task.impatient = false;
          advance();
        });
  }

  void split(RetryTask task) {
    lock.run(
        () -> {
          task.order = Order.TRY_AGAIN;
          splits++;
        });
  }

  /** Returns the number of closes so far, for {@link #awaitClose}. */
  long getCloses() {
    return lock.change(() -> closes);
  }

  /** Records that a task has freed memory, so that all blocked tasks try again. */
  void closed() {
    lock.runIfIntact(
        () -> {
          closes++;
          tasks.stream().filter(task -> task.state == State.BLOCKED).forEach(RetryTasks::wake);
        });
  }

  /**
   * Waits in an allocation until another attempt may succeed.
   *
   * @param seen number of closes before the failed attempt
   * @throws DeviceOutOfMemoryException the failure, if the task has to roll back or to split
   */
  void awaitClose(RetryTask task, long seen, DeviceOutOfMemoryException failure) {
    boolean stops =
        lock.change(
            () -> {
              if (task.order != Order.TRY_AGAIN || closes != seen) {
                return false;
              }
              waits++;
              stop(task, State.BLOCKED);
              return true;
            });
    if (stops) {
      awaitWoken(task);
    }
    if (lock.change(() -> task.order) != Order.TRY_AGAIN) {
      throw failure;
    }
  }

  /** Records that an allocation cannot succeed even if all other tasks roll back. */
  void mustSplit(RetryTask task) {
    lock.run(() -> task.order = Order.SPLIT);
  }

  /**
   * Waits, after an attempt has freed its memory, until the task may run again.
   *
   * @return false if the task has to be split instead, because no other task that runs held memory
   */
  boolean rollBack(RetryTask task) {
    return runsAgain(
        task,
        () -> task.order == Order.ROLL_BACK || (task.order == Order.TRY_AGAIN && !isAlone(task)));
  }

  /**
   * Waits, after an input could not be split, until the task may run again.
   *
   * @return false if it cannot succeed then either, because no other task holds memory
   */
  boolean rollBackUnsplit(RetryTask task) {
    return runsAgain(task, () -> task.order == Order.SPLIT_OR_ROLL_BACK);
  }

  /** Waits until a task that rolls back may run again; returns false if it does not roll back. */
  private boolean runsAgain(RetryTask task, BooleanSupplier rollsBack) {
    boolean stops =
        lock.change(
            () -> {
              if (!rollsBack.getAsBoolean()) {
                return false;
              }
              rollbacks++;
              stop(task, State.ROLLED_BACK);
              return true;
            });
    if (stops) {
      awaitWoken(task);
      lock.run(() -> task.order = Order.TRY_AGAIN);
    }
    return stops;
  }

  RetryStatistics getStatistics() {
    return lock.locked(
        () -> {
          long running = tasks.stream().filter(RetryTask::isRunning).count();
          long rolledBack = count(State.ROLLED_BACK);
          return new RetryStatistics(
              running,
              tasks.size() - running - rolledBack,
              rolledBack,
              begun,
              waits,
              rollbacks,
              splits);
        });
  }

  // ---- waits of a task, without the lock ----

  /**
   * Waits until a task runs.
   *
   * @throws IllegalStateException if an error of the JVM has broken the tasks
   */
  private void awaitWoken(RetryTask task) {
    if (isWoken(task)) {
      return;
    }
    RetryTask innermost = CURRENT.get();
    task.stopped.add(Thread.currentThread());
    try {
      addWaits(innermost, task, 1);
      try {
        sleep(task);
      } finally {
        addWaits(innermost, task, -1);
      }
    } finally {
      task.stopped.remove(Thread.currentThread());
    }
  }

  private boolean isWoken(RetryTask task) {
    return lock.change(() -> task.state == State.RUNNING);
  }

  private void sleep(RetryTask task) {
    long began = System.nanoTime();
    long looked = began;
    boolean logged = false;
    while (!isWoken(task)) {
      long left = Math.min(patienceNanos, longNanos) - (System.nanoTime() - looked);
      if (left > 0) {
        LockSupport.parkNanos(this, left);
        requireNotInterrupted(task);
        continue;
      }
      looked = System.nanoTime();
      boolean isNext = lock.change(() -> wakeIfNext(task));
      if (!isNext && !logged && looked - began >= longNanos) {
        logged = true;
        log.accept(lock.change(() -> describeWait(task)));
      }
    }
  }

  private void requireNotInterrupted(RetryTask task) {
    if (Thread.currentThread().isInterrupted()) {
      lock.run(() -> task.state = State.RUNNING);
      throw new CancellationException("interrupted while task " + task + " waited");
    }
  }

  // ---- decisions, under the lock ----

  private void stop(RetryTask task, State state) {
    task.state = state;
    decide();
  }

  /** Lets a task run again whose patience is over, if it is the next one of those rolled back. */
  private boolean wakeIfNext(RetryTask task) {
    boolean isNext = isNextOfRolledBack(task);
    if (isNext) {
      task.impatient = true;
      wake(task);
    }
    return isNext;
  }

  private String describeWait(RetryTask waiting) {
    List<RetryTask> running = tasks.stream().filter(RetryTask::isRunning).toList();
    return "task "
        + waiting
        + " has waited "
        + Duration.ofNanos(longNanos)
        + " for memory, while "
        + (running.isEmpty() ? "others wait elsewhere: " : "others run: ")
        + (running.isEmpty() ? elsewhere() : running)
        + "; if one of them waits for this task, let it wait by Retry.waiting";
  }

  private List<RetryTask> elsewhere() {
    return tasks.stream().filter(each -> each.waitsElsewhere > 0).toList();
  }

  private static void wake(RetryTask task) {
    task.state = State.RUNNING;
    // Wake all threads on which the task allocates.
    task.stopped.forEach(LockSupport::unpark);
  }

  /** Lets the oldest task that was rolled back run again, after a task has made progress. */
  private void advance() {
    tasks.forEach(each -> each.impatient = false);
    firstOf(State.ROLLED_BACK).ifPresent(RetryTasks::wake);
    decide();
  }

  /**
   * If no task runs, wakes the youngest blocked task to roll back, or to split if it is the only
   * one that holds memory. If none is blocked, wakes the oldest task that was rolled back, unless a
   * task that waits elsewhere may go on.
   */
  private void decide() {
    if (tasks.stream().anyMatch(RetryTask::isRunning)) {
      return;
    }
    RetryTask youngest = lastOf(State.BLOCKED);
    if (youngest != null) {
      youngest.order = orderOf(youngest);
      wake(youngest);
    } else if (elsewhere().isEmpty()) {
      firstOf(State.ROLLED_BACK).ifPresent(RetryTasks::wake);
    }
  }

  private Order orderOf(RetryTask youngest) {
    if (count(State.BLOCKED) > 1) {
      return Order.ROLL_BACK;
    }
    if (elsewhere().stream().allMatch(each -> each == youngest)) {
      return Order.SPLIT;
    }
    return youngest.impatient ? Order.SPLIT_OR_ROLL_BACK : Order.ROLL_BACK;
  }

  /** Returns whether a task is the oldest that was rolled back, and no other runs or is blocked. */
  private boolean isNextOfRolledBack(RetryTask task) {
    return tasks.stream().noneMatch(each -> each.isRunning() || each.state == State.BLOCKED)
        && firstOf(State.ROLLED_BACK).filter(first -> first == task).isPresent();
  }

  private boolean isAlone(RetryTask task) {
    return tasks.stream().allMatch(each -> each == task || each.state == State.ROLLED_BACK);
  }

  private long count(State state) {
    return tasks.stream().filter(task -> task.state == state).count();
  }

  private Optional<RetryTask> firstOf(State state) {
    return tasks.stream().filter(task -> task.state == state).findFirst();
  }

  private @Nullable RetryTask lastOf(State state) {
    RetryTask last = null;
    for (RetryTask task : tasks) {
      last = task.state == state ? task : last;
    }
    return last;
  }
}
