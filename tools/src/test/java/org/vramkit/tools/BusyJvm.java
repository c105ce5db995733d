package org.vramkit.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/** Another JVM, which allocates until it is told to end. */
final class BusyJvm implements AutoCloseable {
  private final Process process;
  private final BufferedReader output;

  /** Starts one with options of the JVM, and waits until it has allocated. */
  BusyJvm(List<String> options) throws IOException {
    ProcessBuilder builder = new ProcessBuilder();
    builder.command().add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    builder.command().addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    builder.command().addAll(options);
    builder.command().addAll(List.of("-cp", System.getProperty("java.class.path")));
    builder.command().add("org.vramkit.tools.top.BusyProgram");
    process = builder.redirectErrorStream(true).start();
    output =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    awaitReady();
  }

  private void awaitReady() throws IOException {
    StringBuilder lines = new StringBuilder();
    for (String line = output.readLine(); !"ready".equals(line); line = output.readLine()) {
      lines.append(line).append('\n');
      assertTrue(line != null, lines.toString());
    }
  }

  /** The number of its process. */
  String getNumber() {
    return Long.toString(process.pid());
  }

  /** Ends it in good order. */
  void finish() throws IOException, InterruptedException {
    process.getOutputStream().write('\n');
    process.getOutputStream().flush();
    assertEquals(0, process.waitFor());
  }

  @Override
  public void close() throws IOException {
    process.destroyForcibly();
    output.close();
  }
}
