package org.vramkit.tools;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.units.Count;
import org.vramkit.sim.hazard.LeakReport;
import org.vramkit.sim.replay.Program;
import org.vramkit.sim.replay.ProgramRun;
import org.vramkit.sim.replay.ProgramRunner;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Implements {@code vramkit run}: runs a stored program of the simulator. */
@Command(
    name = "run",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Runs a stored program of the simulator and prints its reports.",
      "",
      "The exit code is 1 if there is a hazard or, with --leaks, a leak. Warnings do not count. "
          + "Program.of(simulator).store(file) stores a program.",
      ""
    })
final class RunCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(paramLabel = "FILE", description = "The stored program.")
  private Path file = Path.of("");

  @Option(
      names = "--seed",
      paramLabel = "N",
      converter = WholeNumber.Any.class,
      description = "Use this seed instead of the recorded one.")
  private @Nullable Long seed;

  @Option(
      names = "--schedule",
      paramLabel = "NAME",
      description = "Use this schedule instead of the recorded one, such as 'lazy'.")
  private @Nullable String schedule;

  @Option(
      names = "--leaks",
      description = "Also report leaks: memory and handles that the" + " program never released.")
  private boolean leaks;

  @Override
  public Integer call() {
    Program program = StoredPrograms.load(file);
    if (seed != null) {
      program = program.on(program.setup().withSeed(seed));
    }
    if (schedule != null) {
      program = program.on(program.setup().withSchedule(StoredPrograms.schedule(schedule)));
    }
    ProgramRun run =
        schedule == null ? StoredPrograms.runAsRecorded(program) : ProgramRunner.run(program);
    PrintWriter out = spec.commandLine().getOut();
    run.hazards().forEach(out::println);
    run.warnings().forEach(out::println);
    boolean leaking = leaks && !run.leaks().isEmpty();
    if (leaking) {
      out.println(new LeakReport(run.leaks()));
    }
    out.printf(
        Locale.ROOT,
        "%s, %d skipped; %s, %s; seed %d, schedule %s, trace hash %016x%n",
        Count.of(run.program().steps().size(), "step"),
        run.skipped(),
        Count.of(run.hazards().size(), "hazard"),
        Count.of(run.warnings().size(), "warning"),
        program.setup().seed(),
        run.program().setup().schedule(),
        run.traceHash());
    if (!program.complete()) {
      out.println("The program is incomplete: its recording reached the maximum length.");
    }
    return run.hazards().isEmpty() && !leaking ? Errors.OK : Errors.FAILED;
  }
}
