package org.vramkit.pool.support;

import org.vramkit.api.allocator.AllocatorOutOfMemoryException;
import org.vramkit.api.error.DeviceOutOfMemoryException;

/** Errors of a pool over an allocator that has no memory. */
public final class Refusals {
  private Refusals() {}

  /**
   * The same error with what the pool's user asked for before it; keeps the allocator's account.
   *
   * @param wanted what there is no memory for, with what was asked for and what is taken for it
   */
  public static DeviceOutOfMemoryException noMemoryFor(
      String wanted, DeviceOutOfMemoryException cause) {
    String message = "no memory for " + wanted + ": " + cause.getMessage();
    return cause instanceof AllocatorOutOfMemoryException told
        ? new AllocatorOutOfMemoryException(message, told.getReport(), told.getStatus(), told)
        : new DeviceOutOfMemoryException(
            message, cause.getRequestedBytes(), cause.getStatus(), cause);
  }
}
