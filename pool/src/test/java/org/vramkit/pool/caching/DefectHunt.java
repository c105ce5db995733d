package org.vramkit.pool.caching;

import java.util.Map;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.device.Device;
import org.vramkit.api.units.ByteSize;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.hazard.HazardReport;
import org.vramkit.sim.schedule.Schedule;

/** Orderly traffic of one seed after the other over an allocator, until something is reported. */
final class DefectHunt {
  /** Operations of each seed: long enough to fill the device and run out of memory. */
  static final int STEPS = 500;

  /** Seeds in all. */
  static final int SEEDS = 60;

  /** How much is tried at most, for messages. */
  static final String BOUND = SEEDS + " seeds of " + STEPS + " operations each";

  private static final DeviceProfile SMALL =
      DeviceProfile.builder("64 MiB")
          .from(DeviceProfile.SMALL_8GIB)
          .memory(64 * ByteSize.MIB)
          .build();

  /** What was found, and after how many operations of all seeds so far. */
  record Finding(long seed, int operations, HazardReport report) {}

  private final BiFunction<Device, Map<String, String>, Allocator> allocators;
  private final VirtualMemoryUse use;
  private final Schedule schedule;

  DefectHunt(
      BiFunction<Device, Map<String, String>, Allocator> allocators,
      VirtualMemoryUse use,
      Schedule schedule) {
    this.allocators = allocators;
    this.use = use;
    this.schedule = schedule;
  }

  /** The first report, or null if no seed gives any. */
  @Nullable Finding run() {
    for (long seed = 1; seed <= SEEDS; seed++) {
      int before = (int) (seed - 1) * STEPS;
      try {
        Finding found = run(seed, before);
        if (found != null) {
          return found;
        }
      } catch (RuntimeException e) {
        throw new AssertionError("failed before anything was reported, seed " + seed, e);
      }
    }
    return null;
  }

  private @Nullable Finding run(long seed, int before) {
    try (SimBackend backend =
        SimBackend.builder().device(SMALL).seed(seed).schedule(schedule).bytes(false).build()) {
      Allocator allocator = allocators.apply(backend.getDevice(0), options(seed));
      OrderlyTraffic traffic = new OrderlyTraffic(backend.getDevice(0), allocator, seed);
      for (int step = 1; step <= STEPS; step++) {
        traffic.step();
        if (backend.getHazardCount() > 0) {
          return new Finding(seed, before + step, backend.getHazards().get(0));
        }
      }
      traffic.close();
      return backend.getHazardCount() == 0
          ? null
          : new Finding(seed, before + STEPS, backend.getHazards().get(0));
    }
  }

  /** Twelve combinations in turn. */
  private Map<String, String> options(long seed) {
    return Map.of(
        "virtual-memory", use == VirtualMemoryUse.ON ? "on" : "off",
        "steal", new String[] {"with-wait", "when-idle", "never"}[(int) (seed % 3)],
        "thread-cache", seed / 3 % 2 == 0 ? "0" : "1MiB",
        "stream-cache", seed / 6 % 2 == 0 ? "0" : "4MiB",
        // What caches earn depends on the time that it takes.
        "cache-share", "0");
  }
}
