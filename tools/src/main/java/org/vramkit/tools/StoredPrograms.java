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
import org.vramkit.tools.trace.Traces;

/** Loads and runs stored programs for the commands. */
final class StoredPrograms {
  private StoredPrograms() {}

  /**
   * Loads a program and turns off call stacks, which would show this tool instead of the program.
   */
  static Program load(Path file) {
    if (file.toString().isEmpty()) {
      throw new UsageException("FILE: the name is empty; name a stored program");
    }
    if (Traces.isRecording(file)) {
      throw new UsageException(
          file
              + ": is a recording, not a stored program; 'vramkit replay' and 'vramkit view' read"
              + " recordings");
    }
    Program program = Program.load(file);
    ProgramSetup setup = program.setup();
    return program.on(setup.withChecker(setup.checker().withStacks(false)));
  }

  /**
   * Runs a program under its recorded schedule. If the schedule lists choices that do not fit the
   * program, the run takes the first alternative at each choice instead.
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
