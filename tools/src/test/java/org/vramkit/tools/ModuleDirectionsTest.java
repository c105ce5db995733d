package org.vramkit.tools;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ModuleDirectionsTest {
  private static final JavaClasses VRAMKIT =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages("org.vramkit");

  private static final int MOST_IN_A_CYCLE = 5;

  /**
   * Packages with larger cycles, and the number of classes in the cycle. A device, its streams,
   * events and pools refer to each other, because a user goes from each to each, and the classes of
   * CUDA have the same structure; so do a grid, its blocks, warps, paths and steps. The translator
   * of a function and those of its instructions share its registers. An annotation refers to its
   * extension, which reads it; a scatter to its rounds and their lanes; a pool to the registry of
   * all pools and to the classes that recover, trim and read them.
   */
  private static final Map<String, Integer> OBJECT_MODELS =
      Map.of(
          "org.vramkit.api.device", 19,
          "org.vramkit.cuda", 19,
          "org.vramkit.partition.scatter", 6,
          "org.vramkit.pool.caching", 6,
          "org.vramkit.pool.caching.internal.arena", 6,
          "org.vramkit.ptx.code", 6,
          "org.vramkit.ptx.run", 13,
          "org.vramkit.testkit.sim", 12);

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
    assertTrue(VRAMKIT.stream().anyMatch(type -> type.getPackageName().startsWith(prefix)));
  }

  @Test
  @DisplayName("The api sees nothing but the JDK and annotations")
  void api() {
    classes()
        .that()
        .resideInAPackage("org.vramkit.api..")
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage("java..", "org.jspecify..", "org.vramkit.api..")
        .check(VRAMKIT);
  }

  @Test
  @DisplayName("The pool sees only the api; one package alone sees flight recorder and management")
  void pool() {
    classes()
        .that()
        .resideInAPackage("org.vramkit.pool..")
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            "java..",
            "jdk.jfr..",
            "javax.management..",
            "org.jspecify..",
            "org.vramkit.api..",
            "org.vramkit.pool..")
        .check(VRAMKIT);
    noClasses()
        .that()
        .resideInAPackage("org.vramkit.pool..")
        .and()
        .resideOutsideOfPackage("org.vramkit.pool.caching.internal.flight")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("jdk.jfr..", "javax.management..", "java.lang.management..")
        .check(VRAMKIT);
    // It is loaded whether they are there or not.
    noClasses()
        .that()
        .haveSimpleName("FlightLog")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("jdk.jfr..", "javax.management..", "java.lang.management..")
        .check(VRAMKIT);
  }

  @Test
  @DisplayName("The export sees the api, the pool and a writer of JSON")
  void export() {
    classes()
        .that()
        .resideInAPackage("org.vramkit.export..")
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            "java..",
            "org.jspecify..",
            "com.fasterxml.jackson.core..",
            "org.vramkit.api..",
            "org.vramkit.pool.caching",
            "org.vramkit.export..")
        .check(VRAMKIT);
  }

  @Test
  @DisplayName("The partition sees the api only, no backend and no pool")
  void partition() {
    classes()
        .that()
        .resideInAPackage("org.vramkit.partition..")
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            "java..", "org.jspecify..", "org.vramkit.api..", "org.vramkit.partition..")
        .check(VRAMKIT);
  }

  @Test
  @DisplayName("The pressure module sees the api and the flight recorder, no backend and no pool")
  void pressure() {
    classes()
        .that()
        .resideInAPackage("org.vramkit.pressure..")
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            "java..", "jdk.jfr..", "org.jspecify..", "org.vramkit.api..", "org.vramkit.pressure..")
        .check(VRAMKIT);
  }

  @Test
  @DisplayName("The runner of PTX sees nothing but the JDK and annotations")
  void ptx() {
    classes()
        .that()
        .resideInAPackage("org.vramkit.ptx..")
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage("java..", "org.jspecify..", "org.vramkit.ptx..")
        .check(VRAMKIT);
  }

  @Test
  @DisplayName(
      "The simulator sees the api and ptx, and shares no code with the pool that it checks")
  void simulator() {
    classes()
        .that()
        .resideInAPackage("org.vramkit.sim..")
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            "java..",
            "org.jspecify..",
            "com.fasterxml.jackson..",
            "org.vramkit.api..",
            "org.vramkit.ptx..",
            "org.vramkit.sim..")
        .check(VRAMKIT);
    noClasses()
        .that()
        .resideInAPackage("org.vramkit.sim..")
        .and()
        .resideOutsideOfPackage("org.vramkit.sim.replay")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "org.vramkit.sim.replay..",
            "com.fasterxml.jackson.databind..",
            "com.fasterxml.jackson.annotation..")
        .check(VRAMKIT);
  }

  @Test
  @DisplayName("The kits see the api and no backend; those for the simulator see it as well")
  void testkit() {
    classes()
        .that()
        .resideInAPackage("org.vramkit.testkit")
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            "java..", "org.jspecify..", "org.junit..", "org.vramkit.api..", "org.vramkit.testkit")
        .check(VRAMKIT);
    noClasses()
        .that()
        .resideInAPackage("org.vramkit.testkit.sim..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("org.vramkit.pool..", "org.vramkit.partition..")
        .check(VRAMKIT);
  }

  @Test
  @DisplayName("The ffm backend sees the common CUDA code, on JDKs that support it")
  void foreignFunctions() {
    classes()
        .that()
        .resideInAPackage("org.vramkit.ffm..")
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            "java..",
            "org.jspecify..",
            "org.vramkit.api..",
            "org.vramkit.cuda..",
            "org.vramkit.ffm..")
        .allowEmptyShould(true)
        .check(VRAMKIT);
  }

  @Test
  @DisplayName("Nothing sees the tools, and readers see neither allocators nor reports")
  void tools() {
    noClasses()
        .that()
        .resideOutsideOfPackage("org.vramkit.tools..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("org.vramkit.tools..")
        .check(VRAMKIT);
    noClasses()
        .that()
        .resideInAPackage("org.vramkit.tools.trace..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "org.vramkit.tools.replay..",
            "org.vramkit.tools.report..",
            "org.vramkit.pool..",
            "org.vramkit.sim..")
        .check(VRAMKIT);
  }

  @Test
  @DisplayName("Packages have no cycles; settings and results are below all layers")
  void cycles() {
    slices().assignedFrom(new Floors()).should().beFreeOfCycles().check(VRAMKIT);
  }

  /** Each package is a floor; settings and results of the allocator are one beneath its inside. */
  private static final class Floors implements SliceAssignment {
    private static final String CACHING = "org.vramkit.pool.caching";
    private static final Set<String> VALUES =
        Set.of(
            "AllocatorHistory",
            "AllocatorSnapshot",
            "Backup",
            "HistoryEvent",
            "LeakDetection",
            "LeakListener",
            "LeakReport",
            "OutOfMemoryHandler",
            "PrivatePoolOptions",
            "SegmentSource",
            "SizeStatistics",
            "StealPolicy",
            "VirtualMemoryUse");

    @Override
    public SliceIdentifier getIdentifierOf(JavaClass type) {
      JavaClass outermost = Cycles.outermost(type);
      boolean isValue =
          outermost.getPackageName().equals(CACHING) && VALUES.contains(outermost.getSimpleName());
      return SliceIdentifier.of(outermost.getPackageName() + (isValue ? ", values" : ""));
    }

    @Override
    public String getDescription() {
      return "packages";
    }
  }

  @Test
  @DisplayName("At most five classes of a package form a cycle, except in object models")
  void cyclesOfClasses() {
    assertEquals(List.of(), new Cycles(VRAMKIT).largerThan(MOST_IN_A_CYCLE, OBJECT_MODELS));
  }
}
