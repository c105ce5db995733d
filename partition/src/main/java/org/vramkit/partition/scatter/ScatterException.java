package org.vramkit.partition.scatter;

import org.jspecify.annotations.Nullable;

/**
 * A scatter failed. Either GPUs did, and there was no CPU task to take over; or a task threw a
 * checked exception, which is the cause; or the caller was interrupted; or a tile did not end in
 * time.
 */
public class ScatterException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  ScatterException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
