package org.vramkit.partition.scatter;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when a scatter fails, because a GPU failed and there was no CPU task, a task threw a
 * checked exception (the cause), the calling thread was interrupted, or a tile did not end in time.
 */
public class ScatterException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  ScatterException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
