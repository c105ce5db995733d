package org.vramkit.pressure;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.error.Batch;

/**
 * Runs callbacks that may cause further callbacks: one that closes a grant serves the next waiter,
 * whose callback may close a grant too. The further callback runs after the first one, not inside
 * it, so the depth of the stack does not grow with the line. Each thread has its own tasks.
 */
final class Trampoline {
  /** The tasks that the thread has still to run; null while it runs none. */
  private static final ThreadLocal<@Nullable ArrayDeque<Runnable>> LEFT = new ThreadLocal<>();

  private Trampoline() {}

  /** Runs a task now, or after the task that the calling thread is running. */
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
