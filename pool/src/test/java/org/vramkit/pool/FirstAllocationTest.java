package org.vramkit.pool;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimStream;

/**
 * The time of a start goes into classes, so they are counted: a limit on a time would depend on the
 * machine.
 */
@DisplayName("46.6 On the way to its first allocation a program")
class FirstAllocationTest {
  /** Classes of the project on the simulator, which a few more do not slow down much. */
  private static final int MOST_CLASSES = 268;

  /** Each is a class that the JVM makes at run time, and costs more than one of a jar. */
  private static final int MOST_LAMBDAS = 60;

  /** The names of the classes that were loaded before the first allocation was there. */
  private static List<String> loaded = List.of();

  /** The program; its own class, so that the JVM loads nothing of JUnit. */
  static final class Program {
    private Program() {}

    public static void main(String[] args) {
      try (SimBackend backend = SimBackend.builder().build();
          CachingAllocator allocator = CachingAllocator.create(backend.getDevice(0));
          SimStream stream = backend.getDevice(0).createStream();
          Allocation first = allocator.allocate(1 << 20, stream)) {
        Allocated.note(first);
      }
    }
  }

  /** Loaded as soon as the program has its allocation. */
  static final class Allocated {
    private Allocated() {}

    static void note(Allocation allocation) {
      System.out.println(allocation.getSize());
    }
  }

  @BeforeAll
  static void run(@TempDir Path folder) throws IOException, InterruptedException {
    Path log = folder.resolve("classes.txt");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xlog:class+load:file=" + log + ":none",
                "-cp",
                System.getProperty("java.class.path"),
                Program.class.getName())
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertEquals(0, process.waitFor(), output);
    try (Stream<String> lines = Files.lines(log)) {
      loaded =
          lines
              .map(line -> line.split(" ", 2)[0])
              .takeWhile(name -> !name.equals(Allocated.class.getName()))
              .toList();
    }
    assertTrue(loaded.contains(SimBackend.class.getName()), "the log of classes has none of ours");
  }

  private static List<String> ours(boolean lambdas) {
    return loaded.stream()
        .filter(name -> name.startsWith("org.vramkit.") && name.contains("$$Lambda") == lambdas)
        .toList();
  }

  @Test
  @DisplayName("loads few classes of the project")
  void classes() {
    List<String> classes = ours(false);
    assertTrue(
        classes.size() <= MOST_CLASSES,
        () -> classes.size() + " classes, more than " + MOST_CLASSES + ": " + classes);
  }

  @Test
  @DisplayName("has the JVM make few classes for lambdas")
  void lambdas() {
    List<String> lambdas = ours(true);
    assertTrue(
        lambdas.size() <= MOST_LAMBDAS,
        () -> lambdas.size() + " lambdas, more than " + MOST_LAMBDAS + ": " + lambdas);
  }

  @Test
  @DisplayName("starts neither logging nor regular expressions, and links no method of a record")
  void machinery() {
    List<String> costly =
        List.of(
            "java.util.logging.LogManager",
            "java.util.regex.Pattern",
            "java.lang.runtime.ObjectMethods");
    assertEquals(List.of(), loaded.stream().filter(costly::contains).toList());
  }

  @Test
  @DisplayName("loads no event of the flight recorder")
  void events() {
    assertEquals(List.of(), loaded.stream().filter(name -> name.contains("FlightEvents")).toList());
  }
}
