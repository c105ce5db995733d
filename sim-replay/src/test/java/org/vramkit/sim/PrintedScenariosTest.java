package org.vramkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.spi.ToolProvider;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vramkit.sim.replay.ChildJvm;
import org.vramkit.sim.replay.Program;
import org.vramkit.sim.replay.ProgramPrinter;
import org.vramkit.sim.replay.ProgramRecorder;
import org.vramkit.sim.replay.ProgramRun;
import org.vramkit.sim.replay.ProgramRunner;
import org.vramkit.sim.replay.ProgramShrinker;
import org.vramkit.sim.replay.ReportKind;
import org.vramkit.sim.replay.ReportSignature;
import org.vramkit.sim.replay.ShrunkProgram;
import org.vramkit.sim.schedule.Schedule;

@DisplayName("Every scenario's shrunk program as Java")
@Tag("nightly")
class PrintedScenariosTest {
  private static final String MARK = "----";

  @TempDir private Path folder = Path.of("");

  private static ShrunkProgram shrunk(Scenario scenario) {
    try (Scene scene =
        new Scene(
            builder ->
                scenario
                    .settings()
                    .apply(builder.schedule(Schedule.timed()))
                    .recorder(new ProgramRecorder()))) {
      assertEquals(scenario.expected(), scenario.verdict().apply(scene));
      ProgramRun run = ProgramRunner.run(Program.of(scene.backend));
      if (scenario.isAboutLeaks()) {
        ReportSignature first = run.getSignatures(ReportKind.LEAK).get(0);
        return new ProgramShrinker().shrink(run.program(), first);
      }
      return new ProgramShrinker().shrink(run.program());
    }
  }

  @Test
  @DisplayName("compiles, and prints its report word for word")
  void compiled() throws Exception {
    List<String> sources = new ArrayList<>();
    List<ShrunkProgram> programs = new ArrayList<>();
    StringBuilder all = new StringBuilder("public final class All {\n");
    all.append("  public static void main(String[] args) throws Exception {\n");
    for (Scenario scenario : HazardMatrixTest.SCENARIOS) {
      ShrunkProgram program = shrunk(scenario);
      String name = "Scenario" + programs.size();
      String source = ProgramPrinter.print(program.program(), name, program.signature().kind());
      sources.add(Files.writeString(folder.resolve(name + ".java"), source).toString());
      programs.add(program);
      all.append("    System.out.println(\"" + MARK + "\");\n");
      all.append("    " + name + ".main(args);\n");
    }
    all.append("  }\n}\n");
    sources.add(Files.writeString(folder.resolve("All.java"), all).toString());
    compile(sources);
    List<String> printed = List.of(run().split(MARK + "\\R", -1));
    assertEquals(programs.size() + 1, printed.size(), printed::toString);
    for (int i = 0; i < programs.size(); i++) {
      String told = printed.get(i + 1).strip();
      ShrunkProgram program = programs.get(i);
      assertTrue(
          told.contains(program.report().strip()),
          () -> told + "\n lacks \n" + program.report() + "\n" + program.program());
    }
  }

  private void compile(List<String> sources) {
    List<String> arguments =
        new ArrayList<>(List.of("-proc:none", "-cp", System.getProperty("java.class.path"), "-d"));
    arguments.add(folder.toString());
    arguments.addAll(sources);
    StringWriter errors = new StringWriter();
    int result =
        ToolProvider.findFirst("javac")
            .orElseThrow()
            .run(
                new PrintWriter(errors), new PrintWriter(errors), arguments.toArray(String[]::new));
    assertEquals(0, result, errors::toString);
  }

  /** In a process of its own, whose main thread is the one of the recorded programs. */
  private String run() throws Exception {
    return ChildJvm.run(folder, folder.toString(), "All");
  }
}
