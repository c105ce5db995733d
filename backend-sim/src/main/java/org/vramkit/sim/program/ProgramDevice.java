package org.vramkit.sim.program;

import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import org.vramkit.api.device.Capability;
import org.vramkit.api.device.DeviceProperties;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.units.ByteSize;

/**
 * A device that a program runs on.
 *
 * @param properties name; memory, from 1 byte to {@link #MAXIMUM_MEMORY}; at least 1
 *     multiprocessor, clocks of at least 1 kHz, a bus of at least 1 bit, no negative cache or
 *     compute capability
 * @param capabilities what it can do
 */
public record ProgramDevice(DeviceProperties properties, Set<Capability> capabilities) {

  /**
   * The most memory that a simulated device may have, in bytes: 8 TiB, so that a pool can reserve
   * eight times as many addresses out of the 110 TiB that there are.
   */
  public static final long MAXIMUM_MEMORY = 8 * ByteSize.TIB;

  /** Checks the ranges and copies the set. */
  public ProgramDevice {
    Objects.requireNonNull(properties, "properties");
    Objects.requireNonNull(properties.name(), "name");
    capabilities = Set.copyOf(Objects.requireNonNull(capabilities, "capabilities"));
    long memory = properties.totalMemoryBytes();
    if (memory < 1 || memory > MAXIMUM_MEMORY) {
      throw new InvalidArgumentException(
          String.format(
              Locale.ROOT,
              "device '%s' needs memory of 1 to %d bytes; got %d",
              properties.name(),
              MAXIMUM_MEMORY,
              memory));
    }
    require(properties, "multiprocessors", properties.multiprocessors());
    require(properties, "kHz of clock", properties.clockKilohertz());
    require(properties, "kHz of memory clock", properties.memoryClockKilohertz());
    require(properties, "bits of memory bus", properties.memoryBusBits());
    require(properties, "bytes of L2 cache", properties.l2CacheBytes());
    require(properties, "as major compute capability", properties.computeMajor());
    require(properties, "as minor compute capability", properties.computeMinor());
  }

  private static void require(DeviceProperties device, String what, long found) {
    if (found < 0) {
      throw new InvalidArgumentException(
          String.format(
              Locale.ROOT, "device '%s' needs at least 0 %s; got %d", device.name(), what, found));
    }
  }
}
