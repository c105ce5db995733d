package org.vramkit.pool.decorator;

import org.vramkit.api.error.DriverStatus;
import org.vramkit.api.error.GpuException;

/**
 * Thrown when the close of an allocation of {@link GuardedAllocator} finds a write beyond the ends
 * of the allocation. The allocation is closed nevertheless.
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
