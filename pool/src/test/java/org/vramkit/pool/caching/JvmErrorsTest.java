package org.vramkit.pool.caching;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("17.16 Errors of the JVM inside an allocator")
@Tag("own-schedules")
class JvmErrorsTest {
  /** How code runs decides how much of the stack it takes. */
  private static final List<List<String>> COMPILERS =
      List.of(List.of("-Xint"), List.of("-XX:TieredStopAtLevel=1"), List.of());

  static Stream<Arguments> everyWay() {
    return Stream.of(VirtualMemoryUse.ON, VirtualMemoryUse.OFF)
        .flatMap(use -> COMPILERS.stream().map(options -> Arguments.of(use, options)));
  }

  @ParameterizedTest(name = "virtual memory {0}, {1}")
  @MethodSource("everyWay")
  @DisplayName("with a stack that overflows, no block and no lock is lost")
  void stackOverflows(VirtualMemoryUse use, List<String> options, @TempDir Path folder)
      throws IOException, InterruptedException {
    run(folder, options, "stack", use.name(), "20", seed(use, options));
  }

  @ParameterizedTest(name = "virtual memory {0}, {1}")
  @MethodSource("everyWay")
  @DisplayName("with no memory of its own, no block and no lock is lost")
  void memoryRunsOut(VirtualMemoryUse use, List<String> options, @TempDir Path folder)
      throws IOException, InterruptedException {
    List<String> small = new ArrayList<>(options);
    small.addAll(List.of("-Xmx24m", "-XX:+UseSerialGC"));
    run(folder, small, "heap", use.name(), "3", seed(use, options));
  }

  /** The first of a run, unlike those of all others. */
  private static String seed(VirtualMemoryUse use, List<String> options) {
    int memory = use == VirtualMemoryUse.ON ? 0 : 1000;
    return Integer.toString(memory + 100 * COMPILERS.indexOf(options));
  }

  private static void run(Path folder, List<String> options, String... arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(options);
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(JvmErrorsProgram.class.getName());
    command.addAll(List.of(arguments));
    Path output = folder.resolve("output.txt");
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      assertTrue(process.waitFor(1, TimeUnit.HOURS), () -> "hangs: " + read(output));
      assertEquals(0, process.exitValue(), () -> read(output));
    } finally {
      process.destroyForcibly();
    }
  }

  private static String read(Path output) {
    try {
      return Files.readString(output, StandardCharsets.UTF_8);
    } catch (IOException e) {
      return e.toString();
    }
  }
}
