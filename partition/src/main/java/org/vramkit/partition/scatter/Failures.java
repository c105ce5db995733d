package org.vramkit.partition.scatter;

import org.jspecify.annotations.Nullable;
import org.vramkit.api.error.Batch;

/**
 * Combines failures. Two failures may be the same object, which must not be suppressed under
 * itself: a lost driver or a user's task may rethrow one instance.
 */
final class Failures {
  private Failures() {}

  /** Returns {@code first} with {@code then} suppressed; {@code then} if {@code first} is null. */
  static Throwable join(@Nullable Throwable first, Throwable then) {
    if (first == null) {
      return then;
    }
    suppress(first, then);
    return first;
  }

  /** Adds {@code other} to the suppressed failures of {@code primary}, once. */
  static void suppress(Throwable primary, @Nullable Throwable other) {
    if (other != null) {
      Batch.suppress(primary, other);
    }
  }

  /**
   * Returns the exception to throw for a failure: itself, or a wrapper if it is checked.
   *
   * @param what the part that failed, for the wrapper's message
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
