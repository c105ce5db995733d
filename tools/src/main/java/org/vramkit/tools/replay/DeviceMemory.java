package org.vramkit.tools.replay;

import org.vramkit.api.units.ByteSize;
import org.vramkit.sim.DeviceProfile;

/** The memory of a simulated device, for each program that is replayed on one. */
@FunctionalInterface
public interface DeviceMemory {
  /**
   * The memory in bytes.
   *
   * @param requestedPeakBytes the most that the program requests at once
   */
  long bytesFor(long requestedPeakBytes);

  /** The same for every program. */
  static DeviceMemory of(long bytes) {
    return requestedPeakBytes -> bytes;
  }

  /**
   * A multiple of what the program requests, at least one byte.
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
