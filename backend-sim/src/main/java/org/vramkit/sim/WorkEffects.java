package org.vramkit.sim;

import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.error.Batch;

/**
 * Runs what queued work does: bodies of kernels and host functions are the user's code, so they may
 * throw, and may call what they must not. What they throw is thrown again by the next call of the
 * host that waits, or by the end of the simulator. Guarded by the backend's lock.
 */
final class WorkEffects {
  private @Nullable String running;
  private @Nullable Throwable failure;

  /** The work, made fit to run at any time. */
  Runnable of(String name, Runnable work) {
    return () -> {
      running = name;
      try {
        work.run();
      } catch (Throwable e) { // Kotlin's functions throw what they like
        if (failure == null) {
          failure = e;
        } else {
          Batch.suppress(failure, e);
        }
      } finally {
        running = null;
      }
    };
  }

  /** The work that is just being done; only its own code can see one. */
  @Nullable String getRunning() {
    return running;
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
