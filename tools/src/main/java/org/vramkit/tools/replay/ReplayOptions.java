package org.vramkit.tools.replay;

import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.discovery.Backends;
import org.vramkit.api.units.ByteSize;
import org.vramkit.sim.SimBackend;

/**
 * The options of a replay.
 *
 * @param backend name of the backend
 * @param deviceMemory memory of the simulated device; null for {@link #DEFAULT_MEMORY}
 * @param kernelTime minimum time of the kernel after each allocation on the simulated device
 * @param checker which replays the simulator's checker checks; {@code OFF} on other backends
 * @param allocator name of the allocator, see {@link Allocators}
 * @param allocatorOptions options of the allocator by name
 * @param repeat number of passes, at least 1
 */
public record ReplayOptions(
    String backend,
    @Nullable DeviceMemory deviceMemory,
    Duration kernelTime,
    CheckerMode checker,
    String allocator,
    Map<String, String> allocatorOptions,
    int repeat) {

  /** The name of the simulator backend. */
  public static final String SIMULATOR = SimBackend.NAME;

  /** 80 GiB, the memory of an H100. */
  public static final long DEFAULT_MEMORY = 80 * ByteSize.GIB;

  /** Copies the options and rejects combinations that do not fit the backend. */
  public ReplayOptions {
    allocatorOptions = Map.copyOf(allocatorOptions);
    if (deviceMemory != null && !backend.equals(SIMULATOR)) {
      throw new UsageException(
          "--device-memory needs the simulator; leave it out for backend '" + backend + "'");
    }
    if (checker != CheckerMode.OFF && !backend.equals(SIMULATOR)) {
      throw new UsageException(
          "--checker needs the simulator; leave it out for backend '" + backend + "'");
    }
    if (!kernelTime.isZero() && !backend.equals(SIMULATOR)) {
      throw new UsageException(
          "--kernel-micros needs the simulator; leave it out for backend '" + backend + "'");
    }
  }

  boolean isSimulated() {
    return backend.equals(SIMULATOR);
  }

  /** Returns whether a replay without the checker is followed by one with it. */
  boolean runsTwice() {
    return checker == CheckerMode.BOTH;
  }

  ReplayOptions withChecker(CheckerMode mode) {
    return new ReplayOptions(
        backend, deviceMemory, kernelTime, mode, allocator, allocatorOptions, repeat);
  }

  /** Returns the same options for a simulated device of another size, without the checker. */
  ReplayOptions withMemory(long bytes) {
    return new ReplayOptions(
        backend,
        DeviceMemory.of(bytes),
        kernelTime,
        CheckerMode.OFF,
        allocator,
        allocatorOptions,
        repeat);
  }

  /** Returns the memory of the simulated device for a trace, in bytes. */
  long memoryFor(long requestedPeakBytes) {
    return deviceMemory == null ? DEFAULT_MEMORY : deviceMemory.bytesFor(requestedPeakBytes);
  }

  /**
   * Opens a fresh device.
   *
   * @param requestedPeakBytes peak of requested memory, of which the memory of a simulated device
   *     may be a multiple
   * @param checked whether a simulated device has the checker on
   */
  ReplayTarget openTarget(long requestedPeakBytes, boolean checked) {
    return isSimulated()
        ? new SimulatedTarget(memoryFor(requestedPeakBytes), kernelTime, checked)
        : new BackendTarget(Backends.open(backend));
  }
}
