package org.vramkit.api.allocator;

import org.jspecify.annotations.Nullable;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.DriverStatus;

/**
 * Thrown when an allocator is out of memory and no recovery step has helped. {@link #getReport}
 * gives the reason.
 */
public class AllocatorOutOfMemoryException extends DeviceOutOfMemoryException {
  private static final long serialVersionUID = 1L;

  private final transient OutOfMemoryReport report;

  /**
   * Creates the exception.
   *
   * @param message what was wanted, what was found, what to do
   * @param report the recovery steps and the state of the memory
   * @param status the driver's last status, or {@link DriverStatus#NONE}
   * @param cause the underlying error; null if there is none
   */
  public AllocatorOutOfMemoryException(
      String message, OutOfMemoryReport report, DriverStatus status, @Nullable Throwable cause) {
    super(message, report.requestedBytes(), status, cause);
    this.report = report;
  }

  /**
   * Returns the report: the reason of the failure and the smallest change that would have helped.
   */
  public OutOfMemoryReport getReport() {
    return report;
  }
}
