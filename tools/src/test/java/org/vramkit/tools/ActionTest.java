package org.vramkit.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.vramkit.tools.TraceFiles.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The step of action.yml, run as a job runs it, with the classes of this build. */
@DisplayName("The GitHub Action")
class ActionTest {
  private static final Path SCRIPT = Path.of("..", ".ci", "check");

  @TempDir private Path folder = Path.of("");
  private Path command = Path.of("");

  private record Step(int code, String out, String err, String summary) {}

  @BeforeEach
  void command() throws IOException {
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/env")), "the step is a Unix script");
    command = folder.resolve("vramkit");
    Files.writeString(
        command,
        """
        #!/usr/bin/env bash
        [ -e "$0.built" ] || echo "building..." >&2
        touch "$0.built"
        exec '%s' -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -cp '%s' %s "$@"
        """
            .formatted(
                Path.of(System.getProperty("java.home"), "bin", "java"),
                System.getProperty("java.class.path"),
                Main.class.getName()));
    Files.setPosixFilePermissions(command, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private Step step(Map<String, String> inputs) throws IOException, InterruptedException {
    Path out = folder.resolve("out.txt");
    Path err = folder.resolve("err.txt");
    Path summary = Files.createFile(folder.resolve("summary.md"));
    ProcessBuilder builder =
        new ProcessBuilder(SCRIPT.toAbsolutePath().normalize().toString())
            .redirectOutput(out.toFile())
            .redirectError(err.toFile());
    Map<String, String> environment = builder.environment();
    environment.putAll(Map.of("BASELINE", "", "MAX_PEAK", "", "MAX_RATIO", "", "MAX_GROWTH", ""));
    environment.putAll(inputs);
    environment.put("VRAMKIT", command.toString());
    environment.put("GITHUB_ACTIONS", "true");
    environment.put("GITHUB_STEP_SUMMARY", summary.toString());
    int code = builder.start().waitFor();
    return new Step(code, Files.readString(out), Files.readString(err), Files.readString(summary));
  }

  @Test
  @DisplayName("is green within the limits, and posts the table")
  void green() throws IOException, InterruptedException {
    String recording = file(folder, "a recording.csv", TraceFiles.SMALL);
    Step step = step(Map.of("RECORDING", recording, "MAX_PEAK", "3MiB"));
    assertEquals(0, step.code(), step.err());
    assertEquals("building...\n", step.err());
    assertTrue(step.out().startsWith("GPU memory is within its limits\nrecording "), step.out());
    assertFalse(step.summary().contains("building"), step.summary());
    assertTrue(
        step.summary().startsWith("### GPU memory is within its limits\n\n````text\nrecording "),
        step.summary());
    assertTrue(step.summary().contains("a recording.csv   2.86 MiB"), step.summary());
  }

  @Test
  @DisplayName("is red above a limit, with an annotation, the table and what changed")
  void red() throws IOException, InterruptedException {
    String before = file(folder, "before.csv", TraceFiles.SMALL);
    String after = file(folder, "after.csv", TraceFiles.SMALL.replace("3000000", "4000000"));
    Map<String, String> inputs = new HashMap<>();
    inputs.put("RECORDING", after);
    inputs.put("BASELINE", before);
    inputs.put("MAX_GROWTH", "5%");
    Step step = step(inputs);
    assertEquals(1, step.code(), step.err());
    assertTrue(step.err().contains("after.csv: --max-growth 5% is exceeded: "), step.err());
    assertTrue(step.out().contains("\n::error::" + after + ": --max-growth 5%25 is "), step.out());
    List<String> lines = step.summary().lines().toList();
    assertEquals("### GPU memory exceeds its limits", lines.get(0));
    for (String part : List.of("max-growth", "is exceeded: ", "The requested peak of B is ")) {
      assertTrue(step.summary().contains(part), step.summary());
    }
    assertEquals(6, lines.stream().filter(line -> line.startsWith("````")).count());
  }

  @Test
  @DisplayName("fails with the reason if it cannot check")
  void unusable() throws IOException, InterruptedException {
    Step step = step(Map.of("RECORDING", folder.resolve("none").toString(), "MAX_PEAK", "1GiB"));
    assertEquals(2, step.code());
    assertTrue(step.err().contains("no such file"), step.err());
    assertTrue(step.summary().startsWith("### GPU memory was not checked\n"), step.summary());
    assertTrue(step.summary().contains("no such file"), step.summary());
  }

  @Test
  @DisplayName("passes each input to the script")
  void inputs() throws IOException {
    String action = Files.readString(Path.of("..", "action.yml"));
    TreeSet<String> declared = new TreeSet<>();
    Pattern.compile("(?m)^  ([a-z-]+):\n    description:")
        .matcher(action)
        .results()
        .forEach(each -> declared.add(each.group(1)));
    assertEquals(
        List.of("baseline", "max-growth", "max-peak", "max-ratio", "recording"),
        List.copyOf(declared));
    for (String name : declared) {
      String variable = name.toUpperCase(Locale.ROOT).replace('-', '_');
      assertTrue(action.contains(variable + ": ${{ inputs." + name + " }}"), name);
      assertTrue(Files.readString(SCRIPT).contains("$" + variable), name);
    }
  }
}
