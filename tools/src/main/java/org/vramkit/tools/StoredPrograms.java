package org.vramkit.tools;

import java.nio.file.Path;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.sim.program.Program;
import org.vramkit.sim.schedule.Schedule;
import org.vramkit.tools.replay.UsageException;

/** Turns what the simulator says of a bad file or name into bad usage. */
final class StoredPrograms {
  private StoredPrograms() {}

  static Program load(Path file) {
    try {
      return Program.load(file);
    } catch (InvalidArgumentException e) {
      throw new UsageException(String.valueOf(e.getMessage()));
    }
  }

  static void store(Program program, Path file) {
    try {
      program.store(file);
    } catch (InvalidArgumentException e) {
      throw new UsageException(String.valueOf(e.getMessage()));
    }
  }

  static Schedule schedule(String name) {
    try {
      return Schedule.of(name);
    } catch (InvalidArgumentException e) {
      throw new UsageException("--schedule: " + e.getMessage());
    }
  }
}
