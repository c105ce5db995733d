package org.vramkit.sim.replay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs a program in a process of its own, with the class path of the tests. */
public final class ChildJvm {
  private ChildJvm() {}

  /**
   * What it printed. Errors are kept apart: with {@code JAVA_TOOL_OPTIONS} in the environment, as
   * on many build servers and always here, a JVM begins with a notice there.
   *
   * @param folder for a file
   * @param classPath what comes before the class path of the tests; empty for nothing
   * @param program a class or a source file
   * @param options of the JVM
   */
  public static String run(Path folder, String classPath, String program, String... options)
      throws IOException, InterruptedException {
    Path errors = Files.createTempFile(folder, "errors", ".txt");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    // A short program starts sooner without the second compiler.
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    command.addAll(List.of(options));
    command.add("-cp");
    command.add(
        (classPath.isEmpty() ? "" : classPath + System.getProperty("path.separator"))
            + System.getProperty("java.class.path"));
    command.add(program);
    ProcessBuilder builder = new ProcessBuilder(command).redirectError(errors.toFile());
    builder.environment().putIfAbsent("JAVA_TOOL_OPTIONS", "-Dvramkit.child=true");
    Process process = builder.start();
    String printed;
    try (InputStream output = process.getInputStream()) {
      printed = new String(output.readAllBytes(), StandardCharsets.UTF_8);
    }
    assertTrue(process.waitFor(1, TimeUnit.HOURS), program);
    assertEquals(0, process.exitValue(), () -> program + ": " + read(errors));
    return printed;
  }

  private static String read(Path errors) {
    try {
      return Files.readString(errors);
    } catch (IOException e) {
      return e.toString();
    }
  }
}
