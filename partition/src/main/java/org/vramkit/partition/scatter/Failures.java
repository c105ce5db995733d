package org.vramkit.partition.scatter;

import org.jspecify.annotations.Nullable;
import org.vramkit.api.error.Batch;

/**
 * Combines failures. A lost driver or a user's task may throw the same exception twice, which must
 * not be suppressed under itself.
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

  /** Adds {@code other} to the suppressed failures of {@code primary}, unless it is null. */
  static void suppress(Throwable primary, @Nullable Throwable other) {
    if (other != null) {
      Batch.suppress(primary, other);
    }
  }

  /**
   * Returns {@code failure} itself if it is unchecked, otherwise a wrapper.
   *
   * @param what the part that failed, for the wrapper's message
   * @throws Error the failure itself, if it is an error
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
