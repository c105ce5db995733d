package org.vramkit.api.allocator;

import org.jspecify.annotations.Nullable;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.DriverStatus;

/** Out of memory after an allocator has tried everything; carries its report. */
public class AllocatorOutOfMemoryException extends DeviceOutOfMemoryException {
  private static final long serialVersionUID = 1L;

  private final transient OutOfMemoryReport report;

  /**
   * Creates the exception.
   *
   * @param message what was wanted, what was found, what to do
   * @param report the whole account
   * @param status what the driver said last, or {@link DriverStatus#NONE}
   * @param cause the error beneath, if any
   */
  public AllocatorOutOfMemoryException(
      String message, OutOfMemoryReport report, DriverStatus status, @Nullable Throwable cause) {
    super(message, report.requestedBytes(), status, cause);
    this.report = report;
  }

  /** Why it failed and what would have helped. */
  public OutOfMemoryReport getReport() {
    return report;
  }
}
