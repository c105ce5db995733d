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
 * The simulator that a program runs on. Costs of driver calls are no part of it: time does not
 * decide what the checker reports, and what queries answered is part of the steps.
 *
 * @param seed where everything random comes from
 * @param schedule in which order queued work runs
 * @param bytes whether memory holds bytes
 * @param checker what the checker does
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

  /** Returns the setup that a simulator was built with. */
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

  /** The same from another seed. */
  public ProgramSetup withSeed(long other) {
    return new ProgramSetup(other, schedule, bytes, checker, devices);
  }

  /** The same in another order. */
  public ProgramSetup withSchedule(Schedule other) {
    Objects.requireNonNull(other, "other");
    return new ProgramSetup(seed, other, bytes, checker, devices);
  }

  /** The same with another checker. */
  public ProgramSetup withChecker(CheckerOptions options) {
    Objects.requireNonNull(options, "options");
    return new ProgramSetup(seed, schedule, bytes, options, devices);
  }

  /** The same on other devices. */
  public ProgramSetup withDevices(List<DeviceProfile> others) {
    Objects.requireNonNull(others, "others");
    return new ProgramSetup(seed, schedule, bytes, checker, others);
  }
}
