package org.vramkit.pool.caching.defect;

import java.util.Map;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.device.Device;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.caching.VirtualMemoryUse;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.hazard.HazardReport;
import org.vramkit.sim.replay.Program;
import org.vramkit.sim.replay.ProgramRecorder;
import org.vramkit.sim.schedule.Schedule;

/** Orderly traffic of one seed after the other over an allocator, until something is reported. */
final class DefectHunt {
  /** Operations of each seed: long enough to fill the device and run out of memory. */
  static final int STEPS = 500;

  /** Seeds in all. */
  static final int SEEDS = 150;

  /** How much is tried at most, for messages. */
  static final String BOUND = SEEDS + " seeds of " + STEPS + " operations each";

  /** What another process has: the rest is soon used up. */
  private static final long OCCUPIED = 8 * ByteSize.GIB - OrderlyTraffic.MEMORY;

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
    return run(SEEDS);
  }

  /** The first report of so many seeds, or null. */
  @Nullable Finding run(int seeds) {
    for (long seed = 1; seed <= seeds; seed++) {
      int before = (int) (seed - 1) * STEPS;
      try {
        Finding found = run(seed, before, STEPS);
        if (found != null) {
          return found;
        }
      } catch (RuntimeException e) {
        throw new AssertionError("failed before anything was reported, seed " + seed, e);
      }
    }
    return null;
  }

  /** Of the findings of so many seeds the one that takes fewest operations, or null. */
  @Nullable Finding shortest(int seeds) {
    Finding best = null;
    for (long seed = 1; seed <= seeds; seed++) {
      Finding found = run(seed, 0, best == null ? STEPS : best.operations() - 1);
      best = found == null ? best : found;
    }
    return best;
  }

  private @Nullable Finding run(long seed, int before, int most) {
    try (SimBackend backend = backend(seed).build()) {
      int steps = stepsUntilReport(backend, seed, most);
      return backend.getHazardCount() == 0
          ? null
          : new Finding(seed, before + steps, backend.getHazards().get(0));
    }
  }

  /** The calls that led to a finding, made once more to be recorded. */
  Program record(Finding finding) {
    try (SimBackend backend = backend(finding.seed()).recorder(new ProgramRecorder()).build()) {
      stepsUntilReport(backend, finding.seed(), STEPS);
      return Program.of(backend);
    }
  }

  private SimBackend.Builder backend(long seed) {
    return SimBackend.builder().device(DeviceProfile.SMALL_8GIB).seed(seed).schedule(schedule);
  }

  private int stepsUntilReport(SimBackend backend, long seed, int most) {
    backend.getDevice(0).occupy(OCCUPIED);
    Allocator allocator = allocators.apply(backend.getDevice(0), options(seed));
    OrderlyTraffic traffic = new OrderlyTraffic(backend.getDevice(0), allocator, seed);
    for (int step = 1; step <= most; step++) {
      traffic.step();
      if (backend.getHazardCount() > 0) {
        return step;
      }
    }
    if (most == STEPS) {
      traffic.close();
    }
    return most;
  }

  /** Six combinations in turn. */
  private Map<String, String> options(long seed) {
    return Map.of(
        "virtual-memory",
        use == VirtualMemoryUse.ON ? "on" : "off",
        "steal",
        new String[] {"with-wait", "when-idle", "never"}[(int) (seed % 3)],
        "thread-cache",
        seed / 3 % 2 == 0 ? "0" : "1MiB",
        // Else it depends on the time that it takes what moves.
        "move-time",
        "1");
  }
}
