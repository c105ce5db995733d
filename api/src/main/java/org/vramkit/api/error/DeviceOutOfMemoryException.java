package org.vramkit.api.error;

import org.jspecify.annotations.Nullable;
import org.vramkit.api.units.ByteSize;

/**
 * The device, or a limit set on it, has too little memory for a request. Not fatal: the state is as
 * it was before the request, and it may succeed once memory is freed.
 */
public class DeviceOutOfMemoryException extends GpuException {
  private static final long serialVersionUID = 1L;

  private final long requestedBytes;

  /**
   * Creates the exception.
   *
   * @param message what was wanted, what was found, what to do
   * @param requestedBytes the size asked for, in bytes
   * @param status what the driver said, or {@link DriverStatus#NONE} when a limit refused first
   * @param cause the error beneath, if any
   */
  public DeviceOutOfMemoryException(
      String message, long requestedBytes, DriverStatus status, @Nullable Throwable cause) {
    super(message, status, cause);
    this.requestedBytes = requestedBytes;
  }

  /**
   * Creates the exception for a driver call that found too little memory.
   *
   * @param requestedBytes the size asked for, in bytes
   * @param status what the driver said
   */
  public DeviceOutOfMemoryException(long requestedBytes, DriverStatus status) {
    this(
        "out of memory: asked for " + ByteSize.format(requestedBytes),
        requestedBytes,
        status,
        null);
  }

  /** The size asked for, in bytes. */
  public long getRequestedBytes() {
    return requestedBytes;
  }
}
