package org.vramkit.sim.replay;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import org.vramkit.api.device.Capability;
import org.vramkit.api.device.DeviceProperties;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.schedule.Schedule;

/** A program as its file has it. */
record StoredProgram(
    String format,
    int version,
    long seed,
    String schedule,
    boolean bytes,
    Map<String, Object> checker,
    List<Device> devices,
    List<ProgramThread> threads,
    boolean complete,
    @JsonDeserialize(using = StepsReader.class) List<Step> steps) {
  /** What the first key of a stored program says. */
  static final String FORMAT = "vramkit-program";

  /** Version of the format; readers refuse any other. */
  static final int VERSION = 3;

  /** A device with its properties and capabilities side by side. */
  record Device(@JsonUnwrapped DeviceProperties properties, SortedSet<Capability> capabilities) {}

  static StoredProgram of(Program program) {
    ProgramSetup setup = program.setup();
    return new StoredProgram(
        FORMAT,
        VERSION,
        setup.seed(),
        setup.schedule().getName(),
        setup.bytes(),
        ProgramFiles.options(setup.checker()),
        setup.devices().stream()
            .map(device -> new Device(device.properties(), new TreeSet<>(device.capabilities())))
            .toList(),
        program.threads(),
        program.complete(),
        program.steps());
  }

  Program toProgram() {
    ProgramSetup setup =
        new ProgramSetup(
            seed,
            Schedule.of(schedule),
            bytes,
            ProgramFiles.checker(checker),
            devices.stream()
                .map(device -> new DeviceProfile(device.properties(), device.capabilities()))
                .toList());
    return new Program(setup, threads, steps, complete);
  }
}
