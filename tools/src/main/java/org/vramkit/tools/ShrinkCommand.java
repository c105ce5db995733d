package org.vramkit.tools;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.units.Count;
import org.vramkit.sim.hazard.LeakReport;
import org.vramkit.sim.replay.Program;
import org.vramkit.sim.replay.ProgramPrinter;
import org.vramkit.sim.replay.ProgramRun;
import org.vramkit.sim.replay.ProgramShrinker;
import org.vramkit.sim.replay.ReportKind;
import org.vramkit.sim.replay.ReportSignature;
import org.vramkit.sim.replay.ShrunkProgram;
import org.vramkit.tools.replay.UsageException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Implements {@code vramkit shrink}: reduces a stored program to the steps of its first report. */
@Command(
    name = "shrink",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Reduces a stored program of the simulator to the steps that reproduce its first hazard, or"
          + " its first warning if it has no hazard, and prints them as Java with the report.",
      "",
      "Program.of(simulator).store(file) stores a program.",
      ""
    })
final class ShrinkCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(paramLabel = "FILE", description = "The stored program.")
  private Path file = Path.of("");

  @Option(
      names = "--runs",
      paramLabel = "N",
      converter = WholeNumber.FromOne.class,
      description =
          "Maximum number of candidate programs to run, at least 1. Default: ${DEFAULT-VALUE}.")
  private long runs = ProgramShrinker.DEFAULT_MAXIMUM_RUNS;

  @Option(
      names = "--output",
      paramLabel = "FILE",
      description = "Also store the reduced program in this file.")
  private @Nullable Path output;

  @Option(
      names = "--leaks",
      description =
          "Reduce to the first leak instead. Of several leaks, blocks of pools come first, then driver"
              + " memory and other objects, then mappings, then their memory and addresses.")
  private boolean leaks;

  @Override
  public Integer call() {
    if (output != null) {
      new OutputFile("--output", output, OutputFile.Kind.STORED_PROGRAM).check(List.of(file));
    }
    Program program = StoredPrograms.load(file);
    ProgramRun run = StoredPrograms.runAsRecorded(program);
    ReportSignature wanted =
        (leaks ? leaks(run) : hazards(run))
            .findFirst()
            .orElseThrow(
                () ->
                    new UsageException(
                        file + ": the program has no report to reduce to; see" + " 'vramkit run'"));
    ShrunkProgram shrunk = new ProgramShrinker((int) runs).shrink(program, wanted);
    PrintWriter out = spec.commandLine().getOut();
    out.println(ProgramPrinter.print(shrunk.program(), "Shrunk", wanted.kind()));
    out.println(shrunk.report());
    out.printf(
        Locale.ROOT,
        "%d of %s left, %s, after %s%s%n",
        shrunk.program().steps().size(),
        Count.of(program.steps().size(), "step"),
        Count.of(shrunk.reports(), "report"),
        Count.of(shrunk.runs(), "run"),
        shrunk.minimal() ? "" : "; not minimal yet: raise --runs");
    if (output != null) {
      shrunk.program().store(output);
    }
    return Errors.OK;
  }

  private static Stream<ReportSignature> leaks(ProgramRun run) {
    return new LeakReport(run.leaks()).getUsersFirst().stream().map(ReportSignature::of);
  }

  private static Stream<ReportSignature> hazards(ProgramRun run) {
    return Stream.of(ReportKind.HAZARD, ReportKind.WARNING)
        .flatMap(kind -> run.getSignatures(kind).stream());
  }
}
