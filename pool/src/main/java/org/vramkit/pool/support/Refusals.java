package org.vramkit.pool.support;

import org.vramkit.api.allocator.AllocatorOutOfMemoryException;
import org.vramkit.api.error.DeviceOutOfMemoryException;

/** Creates out-of-memory errors of pools. */
public final class Refusals {
  private Refusals() {}

  /**
   * Prefixes an error of the allocator with the request to the pool. Keeps the allocator's report.
   *
   * @param wanted text that names the request and its allocation
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
