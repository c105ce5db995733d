package org.vramkit.pool.support;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.error.Batch;

/**
 * An error that a user's code threw, such as a handler, an observer or the allocator beneath a
 * pool. It passes through the pool wrapped, so that it does not break the pool, and the pool's
 * outermost method throws the user's error itself.
 */
public final class UserError extends Error {
  private static final long serialVersionUID = 1L;

  private final Error error;

  private UserError(Error error) {
    super(null, error, /* enableSuppression= */ true, /* writableStackTrace= */ false);
    this.error = error;
  }

  public static <T extends @Nullable Object> T callUser(Supplier<T> code) {
    try {
      return code.get();
    } catch (Error e) {
      throw new UserError(e);
    }
  }

  public static void runUser(Runnable code) {
    try {
      code.run();
    } catch (Error e) {
      throw new UserError(e);
    }
  }

  /** Returns the user's error, with what failed after it as suppressed. */
  public Error unwrap() {
    for (Throwable each : getSuppressed()) {
      Batch.suppress(error, each instanceof UserError next ? next.unwrap() : each);
    }
    return error;
  }
}
