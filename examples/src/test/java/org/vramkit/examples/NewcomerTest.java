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
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.replay.Program;
import org.vramkit.sim.replay.ProgramShrinker;
import org.vramkit.sim.replay.ShrunkProgram;
import org.vramkit.sim.replay.Step;
import org.vramkit.sim.replay.StepKind;
import org.vramkit.testkit.sim.HazardError;

/** The tests that the README prints fail as it says. */
@DisplayName("A newcomer's test")
class NewcomerTest {
  @ParameterizedTest
  @DisplayName("sees that a block was reused while another stream still reads it")
  @ValueSource(strings = {"BatchTest", "BatchInKotlinTest"})
  void isToldOfEarlyReuse(String name) {
    HazardError error = failureOf("org.vramkit.examples.racy." + name);
    assertEquals(HazardCode.EARLY_REUSE, error.getReports().get(0).code());
  }

  @ParameterizedTest
  @DisplayName("17.24 is printed from its first line to its last, so that it compiles where pasted")
  @CsvSource({
    "README.md, java/org/vramkit/examples/racy/BatchTest.java",
    "docs/kotlin.md, kotlin/org/vramkit/examples/racy/BatchInKotlinTest.kt"
  })
  void isPrintedWhole(String page, String file) throws IOException {
    String language = file.substring(0, file.indexOf('/'));
    String code = onAnySystem(Files.readString(Path.of("src", "test").resolve(file)));
    String text = onAnySystem(Files.readString(Path.of("..").resolve(page)));
    String block = "```" + language + "\n" + code + "```\n";
    assertTrue(text.contains(block), () -> page + " lacks\n" + block);
  }

  @Test
  @DisplayName("prints the report that the README shows")
  void printsTheReport() throws IOException {
    String readme = Files.readString(Path.of("..", "README.md"));
    int start = readme.indexOf("EARLY_REUSE: ");
    assertEquals(
        onAnySystem(failureOf("org.vramkit.examples.racy.BatchTest").getMessage()),
        onAnySystem(readme.substring(start, readme.indexOf("\n```", start))),
        "the README is out of date");
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
