package org.vramkit.pool.decorator;

import org.vramkit.api.error.DriverStatus;
import org.vramkit.api.error.GpuException;

/**
 * Work wrote beyond an end of its memory, as a {@link GuardedAllocator} found when the memory was
 * closed. The memory is closed in any case.
 */
public final class GuardViolationException extends GpuException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param message what was written where, and whose memory it is
   */
  public GuardViolationException(String message) {
    super(message, DriverStatus.NONE, null);
  }
}
