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
 * @param deviceMemoryBytes memory of the simulated device; null for {@link #DEFAULT_MEMORY}
 * @param kernelTime how long the kernel after each allocation takes at least on the simulated
 *     device
 * @param allocator name of the allocator, see {@link Allocators}
 * @param allocatorOptions options of the allocator by name
 * @param repeat how many passes, at least 1
 */
public record ReplayOptions(
    String backend,
    @Nullable Long deviceMemoryBytes,
    Duration kernelTime,
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
    if (deviceMemoryBytes != null && !backend.equals(SIMULATOR)) {
      throw new UsageException(
          "--device-memory sizes the simulated device; backend '" + backend + "' has a real one");
    }
    if (!kernelTime.isZero() && !backend.equals(SIMULATOR)) {
      throw new UsageException(
          "--kernel-micros is for the simulated device; backend '" + backend + "' takes its time");
    }
  }

  boolean isSimulated() {
    return backend.equals(SIMULATOR);
  }

  /** A fresh device; a simulated one with the checker if it is to be judged. */
  ReplayTarget openTarget(boolean judged) {
    if (isSimulated()) {
      return new SimulatedTarget(
          deviceMemoryBytes == null ? DEFAULT_MEMORY : deviceMemoryBytes, kernelTime, judged);
    }
    return new BackendTarget(Backends.open(backend));
  }
}
