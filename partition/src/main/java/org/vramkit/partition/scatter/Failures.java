package org.vramkit.partition.scatter;

import org.jspecify.annotations.Nullable;
import org.vramkit.api.error.Batch;

/**
 * Several failures in one. Any of them may be the same object, which no exception takes as its own
 * suppressed one: a driver that is lost, or a user's task, may throw one that it keeps.
 */
final class Failures {
  private Failures() {}

  /** The first of the two, with the other suppressed. */
  static Throwable join(@Nullable Throwable first, Throwable then) {
    if (first == null) {
      return then;
    }
    suppress(first, then);
    return first;
  }

  /** Adds a failure to the one that is thrown, once. */
  static void suppress(Throwable primary, @Nullable Throwable other) {
    if (other != null) {
      Batch.suppress(primary, other);
    }
  }

  /**
   * Returns the exception to throw for a failure: itself, or a wrapper if it is checked.
   *
   * @param what failed, for the wrapper's message
   */
  static RuntimeException unchecked(String what, Throwable failure) {
    if (failure instanceof Error error) {
      throw error;
    }
    return failure instanceof RuntimeException unchecked
        ? unchecked
        : new ScatterException(what + " failed: " + failure, failure);
  }
}
