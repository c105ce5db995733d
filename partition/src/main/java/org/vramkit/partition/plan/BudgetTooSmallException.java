package org.vramkit.partition.plan;

import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.DriverStatus;
import org.vramkit.api.units.ByteSize;

/** Thrown when no device has enough memory for a single unit. */
public final class BudgetTooSmallException extends DeviceOutOfMemoryException {
  private static final long serialVersionUID = 1L;

  private final long availableBytes;

  BudgetTooSmallException(long neededBytes, long availableBytes) {
    super(
        "one unit needs "
            + ByteSize.formatUp(neededBytes)
            + ", the device with the largest budget has "
            + ByteSize.formatDown(availableBytes)
            + "; "
            + (availableBytes > 0
                ? "divide into units of at most " + optionOfAtMost(availableBytes) + ", "
                : "")
            + "free memory, or run on the CPU",
        neededBytes,
        DriverStatus.NONE,
        null);
    this.availableBytes = availableBytes;
  }

  /** Formats a size in the syntax of options, rounded down to two decimals. */
  private static String optionOfAtMost(long bytes) {
    return ByteSize.formatOption(ByteSize.parse(ByteSize.formatDown(bytes)));
  }

  /** Returns the largest budget of a device, in bytes. */
  public long getAvailableBytes() {
    return availableBytes;
  }
}
