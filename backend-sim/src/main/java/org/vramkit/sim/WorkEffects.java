package org.vramkit.sim;

import java.util.concurrent.CompletionException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.error.Batch;

/**
 * Runs what queued work does: bodies of kernels and host functions are the user's code, so they may
 * throw, and may call what they must not. What they throw is thrown again by the next call of the
 * host that waits, or by the end of the simulator. Guarded by the backend's lock.
 */
final class WorkEffects {
  private final ThreadLocal<@Nullable String> running = new ThreadLocal<>();
  private @Nullable Throwable failure;

  /** The work, made fit to run at any time. */
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

  /** Does something as work of that name, on the calling thread, which need not hold the lock. */
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

  /** The work that the calling thread is just doing; only its own code can see one. */
  @Nullable String getRunning() {
    return running.get();
  }

  /** Throws what work has thrown, once; what no signature allows is the cause of what is thrown. */
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
