package org.vramkit.tools;

import java.nio.file.Path;
import java.util.List;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.sim.replay.Program;
import org.vramkit.sim.replay.ProgramRun;
import org.vramkit.sim.replay.ProgramRunner;
import org.vramkit.sim.replay.ProgramSetup;
import org.vramkit.sim.schedule.ChoiceException;
import org.vramkit.sim.schedule.Schedule;
import org.vramkit.tools.replay.UsageException;

/** Programs that were stored, as the commands take them. */
final class StoredPrograms {
  private StoredPrograms() {}

  /** Reads a program, to be run without call stacks: here they would lead into this tool. */
  static Program load(Path file) {
    if (file.toString().isEmpty()) {
      throw new UsageException("FILE: an empty name is no file");
    }
    Program program = Program.load(file);
    ProgramSetup setup = program.setup();
    return program.on(setup.withChecker(setup.checker().withStacks(false)));
  }

  /**
   * Runs a program as it was recorded. The choices of a chosen schedule may not fit it any more,
   * because questions are no choices when it runs again; then the first of each is taken.
   */
  static ProgramRun runAsRecorded(Program program) {
    try {
      return ProgramRunner.run(program);
    } catch (ChoiceException otherChoices) {
      return ProgramRunner.run(
          program.on(program.setup().withSchedule(Schedule.chosen(List.of()))));
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
