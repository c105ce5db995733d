package org.vramkit.tools.replay;

import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.discovery.Backends;
import org.vramkit.api.units.ByteSize;
import org.vramkit.sim.SimBackend;

/**
 * How to replay.
 *
 * @param backend name of the backend
 * @param deviceMemory memory of the simulated device; null for {@link #DEFAULT_MEMORY}
 * @param kernelTime how long the kernel after each allocation takes at least on the simulated
 *     device
 * @param checker which replays the simulator's checker judges; {@code OFF} on other backends, which
 *     have none
 * @param allocator name of the allocator, see {@link Allocators}
 * @param allocatorOptions options of the allocator by name
 * @param repeat how many passes, at least 1
 */
public record ReplayOptions(
    String backend,
    @Nullable DeviceMemory deviceMemory,
    Duration kernelTime,
    CheckerMode checker,
    String allocator,
    Map<String, String> allocatorOptions,
    int repeat) {

  /** The simulator's name. */
  public static final String SIMULATOR = SimBackend.NAME;

  /** 80 GiB, the memory of the data-centre devices that most programs are written for. */
  public static final long DEFAULT_MEMORY = 80 * ByteSize.GIB;

  /** Copies the options and checks what can be checked without a device. */
  public ReplayOptions {
    allocatorOptions = Map.copyOf(allocatorOptions);
    if (deviceMemory != null && !backend.equals(SIMULATOR)) {
      throw new UsageException(
          "--device-memory sizes the simulated device; backend '" + backend + "' has a real one");
    }
    if (checker != CheckerMode.OFF && !backend.equals(SIMULATOR)) {
      throw new UsageException(
          "--checker is the simulator's; backend '" + backend + "' has none, leave it out");
    }
    if (!kernelTime.isZero() && !backend.equals(SIMULATOR)) {
      throw new UsageException(
          "--kernel-micros is for the simulated device; backend '" + backend + "' takes its time");
    }
  }

  private boolean isSimulated() {
    return backend.equals(SIMULATOR);
  }

  /** Asks for a replay without the checker and one with it. */
  boolean isTwofold() {
    return checker == CheckerMode.BOTH;
  }

  ReplayOptions withChecker(CheckerMode mode) {
    return new ReplayOptions(
        backend, deviceMemory, kernelTime, mode, allocator, allocatorOptions, repeat);
  }

  /**
   * A fresh device.
   *
   * @param requestedPeakBytes the most that will be requested at once, for the simulated device's
   *     memory
   * @param judged whether the checker judges what happens on a simulated device
   */
  ReplayTarget openTarget(long requestedPeakBytes, boolean judged) {
    if (isSimulated()) {
      long memory =
          deviceMemory == null ? DEFAULT_MEMORY : deviceMemory.bytesFor(requestedPeakBytes);
      return new SimulatedTarget(memory, kernelTime, judged);
    }
    return new BackendTarget(Backends.open(backend));
  }
}
