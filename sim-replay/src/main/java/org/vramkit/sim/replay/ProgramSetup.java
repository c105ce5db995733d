package org.vramkit.sim.replay;

import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.hazard.CheckerOptions;
import org.vramkit.sim.schedule.Schedule;

/**
 * The settings of the simulator on which a program runs. Costs of driver calls are not included,
 * because reports do not depend on time, and the steps include the answers to queries.
 *
 * @param seed seed of all random choices
 * @param schedule order of queued work
 * @param bytes whether simulated memory holds bytes
 * @param checker options of the checker
 * @param devices the devices, in the order of their ordinals; at least one
 */
public record ProgramSetup(
    long seed,
    Schedule schedule,
    boolean bytes,
    CheckerOptions checker,
    List<DeviceProfile> devices) {

  /** Copies the list. */
  public ProgramSetup {
    Objects.requireNonNull(schedule, "schedule");
    Objects.requireNonNull(checker, "checker");
    Objects.requireNonNull(devices, "devices");
    devices = List.copyOf(devices);
    if (devices.isEmpty()) {
      throw new InvalidArgumentException("a program needs a device to run on; found none");
    }
  }

  /** Returns the setup of a simulator. */
  static ProgramSetup of(SimBackend backend) {
    return new ProgramSetup(
        backend.getSeed(),
        backend.getSchedule(),
        backend.hasBytes(),
        backend.getCheckerOptions(),
        IntStream.range(0, backend.getDevices().size())
            .mapToObj(ordinal -> backend.getDevice(ordinal).getProfile())
            .toList());
  }

  /** Returns a copy with another seed. */
  public ProgramSetup withSeed(long other) {
    return new ProgramSetup(other, schedule, bytes, checker, devices);
  }

  /** Returns a copy with another schedule. */
  public ProgramSetup withSchedule(Schedule other) {
    Objects.requireNonNull(other, "other");
    return new ProgramSetup(seed, other, bytes, checker, devices);
  }

  /** Returns a copy with other options of the checker. */
  public ProgramSetup withChecker(CheckerOptions options) {
    Objects.requireNonNull(options, "options");
    return new ProgramSetup(seed, schedule, bytes, options, devices);
  }

  /** Returns a copy with other devices. */
  public ProgramSetup withDevices(List<DeviceProfile> others) {
    Objects.requireNonNull(others, "others");
    return new ProgramSetup(seed, schedule, bytes, checker, others);
  }
}
