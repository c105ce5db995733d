package org.vramkit.partition.scatter;

import org.jspecify.annotations.Nullable;

/** A scatter failed, and there was no CPU task to take over. The cause says why. */
public class ScatterException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  ScatterException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
