package org.vramkit.tools.replay;

import org.vramkit.api.units.ByteSize;
import org.vramkit.sim.DeviceProfile;

/** Determines the memory of the simulated device for a program. */
@FunctionalInterface
public interface DeviceMemory {
  /**
   * Returns the memory in bytes.
   *
   * @param requestedPeakBytes the program's peak of requested memory
   */
  long bytesFor(long requestedPeakBytes);

  /** Returns the same memory for every program. */
  static DeviceMemory of(long bytes) {
    return requestedPeakBytes -> bytes;
  }

  /**
   * Returns a multiple of the program's requested peak, at least one byte.
   *
   * @throws UsageException from {@link #bytesFor} if that is more than a simulated device can have
   */
  static DeviceMemory timesRequested(double factor) {
    return requestedPeakBytes -> {
      double bytes = factor * requestedPeakBytes;
      if (bytes > DeviceProfile.MAXIMUM_MEMORY) {
        throw new UsageException(
            "--device-memory: "
                + factor
                + " times the requested peak of "
                + ByteSize.format(requestedPeakBytes)
                + " is more than the "
                + ByteSize.format(DeviceProfile.MAXIMUM_MEMORY)
                + " that a simulated device can have; name a smaller multiple");
      }
      return Math.max(1, (long) bytes);
    };
  }
}
