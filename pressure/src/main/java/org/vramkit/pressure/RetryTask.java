package org.vramkit.pressure;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/** One task of a {@link Retry}. Guarded by the lock of its {@link RetryTasks}. */
final class RetryTask {
  /** The states of a task; docs/pressure.md has the table of states and events. */
  enum State {
    /** Works, or was woken to try an allocation again or to roll back. */
    RUNNING,
    /** Waits in an allocation and keeps its memory. */
    BLOCKED,
    /** Waits to be run again; its attempt holds nothing. */
    ROLLED_BACK
  }

  /** The next step of a task that is woken in an allocation. */
  enum Order {
    TRY_AGAIN,
    ROLL_BACK,
    SPLIT,
    /** Splits if the input can be divided, else rolls back again. */
    SPLIT_OR_ROLL_BACK
  }

  final String name;
  final RetryTasks tasks;

  /** The task, of another {@link Retry}, inside which this one runs; null for none. */
  final @Nullable RetryTask outer;

  final Thread thread = Thread.currentThread();

  /** The threads that wait for the task to run. */
  final Queue<Thread> stopped = new ConcurrentLinkedQueue<>();

  State state = State.RUNNING;
  Order order = Order.TRY_AGAIN;

  /** The number of waits for something other than memory of the {@link Retry}. */
  int waitsElsewhere;

  /** True if the task runs again although no other task has made progress. */
  boolean impatient;

  RetryTask(String name, RetryTasks tasks, @Nullable RetryTask outer) {
    this.name = name;
    this.tasks = tasks;
    this.outer = outer;
  }

  boolean isRunning() {
    return state == State.RUNNING && waitsElsewhere == 0;
  }

  @Override
  public String toString() {
    return "\"" + name + "\"";
  }
}
