package org.vramkit.sim.replay;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import com.fasterxml.jackson.databind.annotation.JsonSerialize;
import com.fasterxml.jackson.databind.util.StdConverter;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.vramkit.api.device.Capability;
import org.vramkit.api.device.DeviceProperties;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.hazard.CheckerOptions;
import org.vramkit.sim.schedule.Schedule;

/** A program as its file has it. */
record StoredProgram(
    String format,
    int version,
    long seed,
    Schedule schedule,
    boolean bytes,
    @JsonDeserialize(using = CheckerReader.class) CheckerOptions checker,
    @JsonSerialize(contentConverter = Device.Of.class)
        @JsonDeserialize(contentConverter = Device.To.class)
        List<DeviceProfile> devices,
    List<ProgramThread> threads,
    boolean complete,
    @JsonDeserialize(using = StepsReader.class) List<Step> steps) {
  /** The value of the first key of a stored program. */
  static final String FORMAT = "vramkit-program";

  /** Version of the format; readers refuse any other. */
  static final int VERSION = 3;

  /** A device with its properties and capabilities side by side. */
  record Device(@JsonUnwrapped DeviceProperties properties, SortedSet<Capability> capabilities) {
    /** For writers. */
    static final class Of extends StdConverter<DeviceProfile, Device> {
      @Override
      public Device convert(DeviceProfile profile) {
        return new Device(profile.properties(), new TreeSet<>(profile.capabilities()));
      }
    }

    /** For readers. */
    static final class To extends StdConverter<Device, DeviceProfile> {
      @Override
      public DeviceProfile convert(Device device) {
        return new DeviceProfile(device.properties(), device.capabilities());
      }
    }
  }

  static StoredProgram of(Program program) {
    ProgramSetup setup = program.setup();
    return new StoredProgram(
        FORMAT,
        VERSION,
        setup.seed(),
        setup.schedule(),
        setup.bytes(),
        setup.checker(),
        setup.devices(),
        program.threads(),
        program.complete(),
        program.steps());
  }

  Program toProgram() {
    ProgramSetup setup = new ProgramSetup(seed, schedule, bytes, checker, devices);
    return new Program(setup, threads, steps, complete);
  }
}
