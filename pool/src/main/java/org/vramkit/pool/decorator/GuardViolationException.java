package org.vramkit.pool.decorator;

import org.vramkit.api.error.DriverStatus;
import org.vramkit.api.error.GpuException;

/**
 * Reports a write beyond the ends of an allocation, which a {@link GuardedAllocator} found at its
 * close. The allocation is closed nevertheless.
 */
public final class GuardViolationException extends GpuException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param message the bytes, their place, and the owner of the memory
   */
  public GuardViolationException(String message) {
    super(message, DriverStatus.NONE, null);
  }
}
