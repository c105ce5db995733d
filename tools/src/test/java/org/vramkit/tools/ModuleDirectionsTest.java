package org.vramkit.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ModuleDirectionsTest {
  private static final Dependencies VRAMKIT = new Dependencies();

  /** What each class may use. */
  private static final List<String> ALWAYS = List.of("java..", "org.jspecify..");

  private static final List<String> OBSERVERS =
      List.of("jdk.jfr..", "javax.management..", "java.lang.management..");

  private static final int MOST_IN_A_CYCLE = 5;

  /**
   * Packages with larger cycles, and the number of classes in the cycle. A device, its streams,
   * events and pools refer to each other, because a user goes from each to each, and the classes of
   * CUDA and of the simulator have the same structure; so do a grid, its blocks, warps, paths and
   * steps. The translator of a function and those of its instructions share its registers. CUDA's
   * driver has groups of calls, which stand for themselves where they are absent. An annotation
   * refers to its extension, which reads it; a scatter to its rounds and their lanes; a pool to the
   * registry of all pools and to the classes that recover, trim and read them.
   */
  private static final Map<String, Integer> OBJECT_MODELS =
      Map.of(
          "org.vramkit.api.device", 19,
          "org.vramkit.cuda", 20,
          "org.vramkit.cuda.driver", 9,
          "org.vramkit.partition.scatter", 6,
          "org.vramkit.pool.caching", 6,
          "org.vramkit.pool.caching.internal.arena", 6,
          "org.vramkit.ptx.code", 6,
          "org.vramkit.ptx.run", 13,
          "org.vramkit.sim", 6,
          "org.vramkit.testkit.sim", 12);

  private static final String CACHING = "org.vramkit.pool.caching";
  private static final Set<String> VALUES =
      Set.of(
          "AllocatorHistory",
          "AllocatorOption",
          "AllocatorSnapshot",
          "Backup",
          "HistoryEvent",
          "LeakDetection",
          "LeakListener",
          "LeakReport",
          "OutOfMemoryHandler",
          "PrivatePoolOptions",
          "SegmentSource",
          "StealPolicy",
          "VirtualMemoryUse");

  private static void seesOnly(String from, String... allowed) {
    List<String> all = Stream.concat(ALWAYS.stream(), Stream.of(allowed)).toList();
    assertEquals(List.of(), VRAMKIT.beyond(List.of(from), all));
  }

  private static void seesNone(String from, List<String> but, List<String> forbidden) {
    assertEquals(List.of(), VRAMKIT.of(List.of(from), but, forbidden));
  }

  @ParameterizedTest
  @DisplayName("Every module is looked at")
  @ValueSource(
      strings = {
        "org.vramkit.api",
        "org.vramkit.sim",
        "org.vramkit.pool",
        "org.vramkit.partition",
        "org.vramkit.pressure",
        "org.vramkit.testkit",
        "org.vramkit.tools"
      })
  void everyModule(String prefix) {
    assertTrue(VRAMKIT.classes().stream().anyMatch(type -> type.startsWith(prefix)));
  }

  /** Uses a class in the ways that leave no trace but a constant of the class file. */
  static final class Casts {
    private Casts() {}

    static int of(Object value) {
      int found = value instanceof Cast ? 1 : 0;
      found += ((Cast) value).hashCode();
      return found + new OfArray[found].length;
    }
  }

  private static final class Cast {}

  private static final class OfArray {}

  @Test
  @DisplayName("Casts, patterns and arrays count as uses")
  void casts() {
    Set<String> uses = Dependencies.ofClass(Casts.class);
    assertTrue(uses.contains(Cast.class.getName()), uses.toString());
    assertTrue(uses.contains(OfArray.class.getName()), uses.toString());
  }

  @Test
  @DisplayName("The api sees nothing but the JDK and annotations, and one class flight recorder")
  void api() {
    seesOnly("org.vramkit.api..", "jdk.jfr..", "org.vramkit.api..");
    // Other classes are loaded whether the JVM has the recorder or not.
    assertEquals(
        List.of(),
        VRAMKIT.of(List.of("org.vramkit.api.."), List.of(), List.of("jdk.jfr..")).stream()
            .filter(use -> !use.startsWith("org.vramkit.api.flight.PeriodicEvents"))
            .toList());
  }

  @Test
  @DisplayName("The pool sees only the api; one package alone sees flight recorder and management")
  void pool() {
    seesOnly(
        "org.vramkit.pool..",
        "jdk.jfr..",
        "javax.management..",
        "org.vramkit.api..",
        "org.vramkit.pool..");
    // Its class FlightLog is loaded whether they are there or not.
    seesNone("org.vramkit.pool..", List.of("org.vramkit.pool.caching.internal.flight"), OBSERVERS);
    assertEquals(
        List.of(),
        VRAMKIT.of(List.of("org.vramkit.pool.."), List.of(), OBSERVERS).stream()
            .filter(use -> use.matches("[\\w.]*\\.FlightLog(\\$\\w+)? .*"))
            .toList());
  }

  @Test
  @DisplayName("The export sees the api, the pool and a writer of JSON")
  void export() {
    seesOnly(
        "org.vramkit.export..",
        "com.fasterxml.jackson.core..",
        "org.vramkit.api..",
        "org.vramkit.pool.caching",
        "org.vramkit.export..");
  }

  @Test
  @DisplayName("The partition sees the api only, no backend and no pool")
  void partition() {
    seesOnly("org.vramkit.partition..", "org.vramkit.api..", "org.vramkit.partition..");
  }

  @Test
  @DisplayName("The pressure module sees the api, no backend and no pool")
  void pressure() {
    seesOnly("org.vramkit.pressure..", "org.vramkit.api..", "org.vramkit.pressure..");
  }

  @Test
  @DisplayName("The runner of PTX sees nothing but the JDK and annotations")
  void ptx() {
    seesOnly("org.vramkit.ptx..", "org.vramkit.ptx..");
  }

  @Test
  @DisplayName(
      "The simulator sees the api and ptx, and shares no code with the pool that it checks")
  void simulator() {
    seesOnly(
        "org.vramkit.sim..",
        "com.fasterxml.jackson..",
        "org.vramkit.api..",
        "org.vramkit.ptx..",
        "org.vramkit.sim..");
    seesNone(
        "org.vramkit.sim..",
        List.of("org.vramkit.sim.replay"),
        List.of(
            "org.vramkit.sim.replay..",
            "com.fasterxml.jackson.databind..",
            "com.fasterxml.jackson.annotation.."));
  }

  @Test
  @DisplayName("The kits see the api and no backend; those for the simulator see it as well")
  void testkit() {
    seesOnly("org.vramkit.testkit", "org.junit..", "org.vramkit.api..", "org.vramkit.testkit");
    seesNone(
        "org.vramkit.testkit.sim..",
        List.of(),
        List.of("org.vramkit.pool..", "org.vramkit.partition.."));
  }

  @Test
  @DisplayName("The ffm backend sees the common CUDA code, on JDKs that support it")
  void foreignFunctions() {
    seesOnly("org.vramkit.ffm..", "org.vramkit.api..", "org.vramkit.cuda..", "org.vramkit.ffm..");
  }

  @Test
  @DisplayName("Nothing sees the tools, and readers see neither allocators nor reports")
  void tools() {
    seesNone("org.vramkit..", List.of("org.vramkit.tools.."), List.of("org.vramkit.tools.."));
    seesNone(
        "org.vramkit.tools.trace..",
        List.of(),
        List.of(
            "org.vramkit.tools.replay..",
            "org.vramkit.tools.report..",
            "org.vramkit.pool..",
            "org.vramkit.sim.."));
  }

  @Test
  @DisplayName("Packages have no cycles; settings and results are below all layers")
  void cycles() {
    assertEquals(List.of(), VRAMKIT.cycles(ModuleDirectionsTest::floorOf, false));
  }

  /** Returns a class's package; settings and results of the allocator are beneath its inside. */
  private static String floorOf(String type) {
    String own = Dependencies.packageOf(type);
    boolean isValue = own.equals(CACHING) && VALUES.contains(type.substring(own.length() + 1));
    return own + (isValue ? ", values" : "");
  }

  @Test
  @DisplayName("At most five classes of a package form a cycle, except in object models")
  void cyclesOfClasses() {
    List<String> larger =
        VRAMKIT.cycles(type -> type, true).stream()
            .filter(
                cycle ->
                    cycle.size() > OBJECT_MODELS.getOrDefault(packageOf(cycle), MOST_IN_A_CYCLE))
            .map(cycle -> cycle.size() + " in " + packageOf(cycle) + ": " + cycle)
            .toList();
    assertEquals(List.of(), larger);
  }

  private static String packageOf(Set<String> cycle) {
    return Dependencies.packageOf(cycle.iterator().next());
  }
}
