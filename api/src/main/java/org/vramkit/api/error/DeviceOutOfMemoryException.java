package org.vramkit.api.error;

import org.jspecify.annotations.Nullable;
import org.vramkit.api.units.ByteSize;

/**
 * Thrown when the device, or a limit set on it, has too little memory for a request. The request
 * has changed nothing and may succeed once memory is freed.
 */
public class DeviceOutOfMemoryException extends GpuException {
  private static final long serialVersionUID = 1L;

  private final long requestedBytes;

  /**
   * Creates the exception.
   *
   * @param message what was wanted, what was found, what to do
   * @param requestedBytes the requested size in bytes
   * @param status the driver's status, or {@link DriverStatus#NONE} if a limit refused the request
   * @param cause the underlying error; null if there is none
   */
  public DeviceOutOfMemoryException(
      String message, long requestedBytes, DriverStatus status, @Nullable Throwable cause) {
    super(message, status, cause);
    this.requestedBytes = requestedBytes;
  }

  /**
   * Creates the exception for a driver call that found too little memory.
   *
   * @param requestedBytes the requested size in bytes
   * @param status the driver's status
   */
  public DeviceOutOfMemoryException(long requestedBytes, DriverStatus status) {
    this(
        "out of memory: asked for " + ByteSize.format(requestedBytes),
        requestedBytes,
        status,
        null);
  }

  /** Returns the requested size in bytes. */
  public long getRequestedBytes() {
    return requestedBytes;
  }
}
