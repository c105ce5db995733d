package org.vramkit.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("The agent of a JVM")
class AgentTest {
  @TempDir Path folder;

  /** How a program ended. */
  private record End(int status, String output) {}

  private End run(String argument, Class<?> program, String... arguments)
      throws IOException, InterruptedException {
    return run(System.getProperty("java.class.path"), argument, program, arguments);
  }

  private End run(String classPath, String argument, Class<?> program, String... arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-javaagent:" + jar() + argument);
    // A short program starts sooner without the second compiler.
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp"));
    command.add(classPath);
    command.add(program.getName());
    command.addAll(List.of(arguments));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new End(process.waitFor(), output);
  }

  /** Writes a jar that names the agent, whose classes are on the class path. */
  private Path jar() throws IOException {
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().putValue("Premain-Class", CudaAgent.class.getName());
    Path jar = folder.resolve("agent.jar");
    try (OutputStream file = Files.newOutputStream(jar)) {
      new JarOutputStream(file, manifest).close();
    }
    return jar;
  }

  @Test
  @DisplayName("runs a program without hazards, which ends as ever")
  void quiet() throws IOException, InterruptedException {
    End end = run("=fail", VectorAddExample.class, VectorAddTest.ptx());
    assertEquals(0, end.status, end.output);
    assertTrue(end.output.contains("Test PASSED"), end.output);
    assertTrue(end.output.contains("vramkit: 0 hazards on simulator"), end.output);
  }

  @Test
  @DisplayName("runs a program of JavaCPP, without CUDA's native code")
  void javaCpp() throws IOException, InterruptedException {
    End end = run("=fail", JavaCppVectorAddExample.class, VectorAddTest.ptx());
    assertEquals(0, end.status, end.output);
    assertTrue(end.output.contains("Test PASSED"), end.output);
    assertTrue(end.output.contains("some time has passed"), end.output);
    assertTrue(end.output.contains("vramkit: 0 hazards on simulator"), end.output);
  }

  @Test
  @DisplayName("reports hazards with the program's lines, and ends the JVM with status 1 on demand")
  void hazards() throws IOException, InterruptedException {
    End failed = run("=fail", StreamsExample.class, VectorAddTest.ptx(), "unordered");
    assertEquals(1, failed.status, failed.output);
    assertTrue(failed.output.contains("RACE_RAW"), failed.output);
    assertTrue(failed.output.contains("(StreamsExample.java:"), failed.output);
    assertEquals(0, run("", StreamsExample.class, VectorAddTest.ptx(), "unordered").status);
  }

  @Test
  @DisplayName("needs no other libraries than the document lists")
  void libraries() throws IOException, InterruptedException {
    // Modules of this build are folders of classes.
    Pattern needed =
        Pattern.compile(
            ".*/(agent/target/(test-)?classes|api/target/classes|backend-sim/target/classes"
                + "|ptx/target/classes|vramkit-(api|backend-sim|ptx)-[^/]*[.]jar"
                + "|byte-buddy-\\d[^/]*|jspecify-[^/]*|jcuda-\\d[^/]*)");
    String listed =
        Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
            .filter(each -> needed.matcher(each).matches())
            .collect(Collectors.joining(File.pathSeparator));
    End end = run(listed, "=fail", VectorAddExample.class, VectorAddTest.ptx());
    assertEquals(0, end.status, end.output);
    assertTrue(end.output.contains("Test PASSED"), end.output);
  }
}
