package org.vramkit.sim;

import java.util.concurrent.CompletionException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.error.Batch;

/**
 * Runs the effects of queued work. Bodies of kernels and host functions are user code, so they may
 * throw, or call what they must not. The host's next wait, or the end of the simulator, throws
 * their exceptions. Guarded by the backend's lock.
 */
final class WorkEffects {
  private final ThreadLocal<@Nullable String> running = new ThreadLocal<>();
  private @Nullable Throwable failure;

  /** Wraps work so that it can run at any time. */
  Runnable of(String name, Runnable work) {
    return () -> {
      running.set(name);
      try {
        work.run();
      } catch (Throwable e) { // Kotlin's functions throw what they like
        failed(e);
      } finally {
        running.remove();
      }
    };
  }

  /** Runs something as work of that name on the calling thread, which need not hold the lock. */
  boolean during(String name, BooleanSupplier work) {
    running.set(name);
    try {
      return work.getAsBoolean();
    } finally {
      running.remove();
    }
  }

  void failed(@Nullable Throwable thrown) {
    if (failure == null) {
      failure = thrown;
    } else if (thrown != null) {
      Batch.suppress(failure, thrown);
    }
  }

  /** Returns the name of the work that the calling thread is running; null for none. */
  @Nullable String getRunning() {
    return running.get();
  }

  /** Throws what work has thrown, once; a checked exception becomes a cause. */
  void rethrow() {
    Throwable thrown = failure;
    failure = null;
    if (thrown instanceof Error error) {
      throw error;
    }
    if (thrown instanceof RuntimeException exception) {
      throw exception;
    }
    if (thrown != null) {
      throw new CompletionException(thrown);
    }
  }
}
