package org.vramkit.pressure;

import java.util.concurrent.locks.Condition;

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
    SPLIT
  }

  final String name;

  /** The age: a smaller number is older. */
  final long number;

  final Thread thread = Thread.currentThread();
  final Condition woken;

  State state = State.RUNNING;
  Order order = Order.TRY_AGAIN;

  RetryTask(String name, long number, Condition woken) {
    this.name = name;
    this.number = number;
    this.woken = woken;
  }
}
