package org.vramkit.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.replay.Program;
import org.vramkit.sim.replay.ProgramShrinker;
import org.vramkit.sim.replay.ShrunkProgram;
import org.vramkit.sim.replay.Step;
import org.vramkit.sim.replay.StepKind;
import org.vramkit.testkit.sim.HazardError;

/** Tests that documents print fail as they say. */
@DisplayName("A newcomer's test")
class NewcomerTest {
  @ParameterizedTest
  @DisplayName("sees the race")
  @CsvSource({
    "BatchTest, EARLY_REUSE",
    "BatchInKotlinTest, EARLY_REUSE",
    "ReverseTest, KERNEL_RACE"
  })
  void seesTheRace(String name, HazardCode code) {
    HazardError error = failureOf("org.vramkit.examples.racy." + name);
    assertEquals(code, error.getReports().get(0).code());
  }

  @ParameterizedTest
  @DisplayName("17.24 is printed from its first line to its last, so that it compiles where pasted")
  @CsvSource({
    "README.md, java, java/org/vramkit/examples/racy/ReverseTest.java",
    "README.md, cuda, resources/org/vramkit/examples/racy/reverse.cu",
    "docs/simulator-junit.md, java, java/org/vramkit/examples/racy/BatchTest.java",
    "docs/simulator-junit.md, kotlin, kotlin/org/vramkit/examples/racy/BatchInKotlinTest.kt"
  })
  void isPrintedWhole(String page, String language, String file) throws IOException {
    String code = onAnySystem(Files.readString(Path.of("src", "test").resolve(file)));
    String text = onAnySystem(Files.readString(Path.of("..").resolve(page)));
    String block = "```" + language + "\n" + code + "```\n";
    assertTrue(text.contains(block), () -> page + " lacks\n" + block);
  }

  @ParameterizedTest
  @DisplayName("prints the report that its page shows")
  @CsvSource({"README.md, ReverseTest", "docs/simulator-junit.md, BatchTest"})
  void printsTheReport(String page, String test) throws IOException {
    HazardError error = failureOf("org.vramkit.examples.racy." + test);
    String report = onAnySystem(error.getMessage());
    String text = onAnySystem(Files.readString(Path.of("..").resolve(page)));
    String code = report.substring(0, report.indexOf(' '));
    int start = text.indexOf(code, text.indexOf("```text\n" + code));
    String printed = text.substring(start, text.indexOf("\n```", start));
    // The README leaves out how to repeat the run.
    int length = Math.min(printed.length(), report.length());
    assertEquals(report.substring(0, length), printed, page + " is out of date");
    assertTrue(printed.contains("  see      "), printed);
  }

  @Test
  @DisplayName("shrinks to allocate, use, close")
  void shrinks(@TempDir Path folder) throws IOException {
    failureOf("org.vramkit.examples.racy.BatchTest", folder);
    try (Stream<Path> stored = Files.list(folder)) {
      ShrunkProgram shrunk =
          new ProgramShrinker().shrink(Program.load(stored.findFirst().orElseThrow()));
      assertEquals(
          List.of(
              StepKind.CREATE_NAMED_STREAM,
              StepKind.CREATE_NAMED_STREAM,
              StepKind.ALLOCATE,
              StepKind.TELL_ALLOCATED,
              StepKind.FILL,
              StepKind.SYNCHRONIZE_STREAM,
              StepKind.LAUNCH,
              StepKind.TELL_FREED),
          shrunk.program().steps().stream().map(Step::kind).toList(),
          () -> shrunk.program().toString());
      assertTrue(shrunk.report().contains("not recorded"), shrunk.report());
    }
  }

  private static String onAnySystem(String report) {
    return report.replace("\r\n", "\n");
  }

  private static HazardError failureOf(String test) {
    return failureOf(test, Path.of("target", "vramkit"));
  }

  private static HazardError failureOf(String test, Path programs) {
    return EngineTestKit.engine("junit-jupiter")
        .selectors(selectClass(test))
        .configurationParameter("vramkit.programs", programs.toString())
        .execute()
        .testEvents()
        .assertStatistics(statistics -> statistics.started(1).failed(1))
        .failed()
        .map(event -> event.getRequiredPayload(TestExecutionResult.class))
        .map(result -> (HazardError) result.getThrowable().orElseThrow())
        .findFirst()
        .orElseThrow();
  }
}
