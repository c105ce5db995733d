package org.vramkit.pressure;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.error.Batch;

/**
 * Runs tasks that cause further tasks, such as callbacks that end a grant and so serve the next in
 * line. A task that another one causes runs after it, not inside it, so a long line takes no more
 * stack than a short one. Safe for any thread; each thread has its own tasks.
 */
final class Relay {
  /** Tasks that a thread has left to run; absent while it runs nothing here. */
  private static final ThreadLocal<@Nullable ArrayDeque<Runnable>> LEFT = new ThreadLocal<>();

  private Relay() {}

  /** Runs a task now, or after the task that the calling thread runs. */
  static void run(Runnable task) {
    ArrayDeque<Runnable> outer = LEFT.get();
    if (outer != null) {
      outer.add(task);
      return;
    }
    ArrayDeque<Runnable> own = new ArrayDeque<>();
    own.add(task);
    LEFT.set(own);
    try {
      runAll(own);
    } finally {
      LEFT.remove();
    }
  }

  /** Runs the remaining tasks of the calling thread, which is about to wait for others. */
  static void finish() {
    ArrayDeque<Runnable> outer = LEFT.get();
    if (outer != null) {
      runAll(outer);
    }
  }

  /** Runs all tasks, even if some of them fail. */
  private static void runAll(ArrayDeque<Runnable> tasks) {
    Runnable next = tasks.poll();
    while (next != null) {
      try {
        next.run();
      } catch (RuntimeException | Error e) {
        Batch.after(e, () -> runAll(tasks));
        throw e;
      }
      next = tasks.poll();
    }
  }
}
