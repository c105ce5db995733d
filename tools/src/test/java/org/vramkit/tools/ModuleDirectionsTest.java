package org.vramkit.tools;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ModuleDirectionsTest {
  private static final JavaClasses VRAMKIT =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages("org.vramkit");

  @ParameterizedTest
  @DisplayName("Every module is looked at")
  @ValueSource(
      strings = {
        "org.vramkit.api",
        "org.vramkit.sim",
        "org.vramkit.pool",
        "org.vramkit.partition",
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
  @DisplayName("The pool sees the api only, and no backend")
  void pool() {
    classes()
        .that()
        .resideInAPackage("org.vramkit.pool..")
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage("java..", "org.jspecify..", "org.vramkit.api..", "org.vramkit.pool..")
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
  @DisplayName("The simulator sees the api only, and shares no code with the pool that it judges")
  void simulator() {
    classes()
        .that()
        .resideInAPackage("org.vramkit.sim..")
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            "java..",
            "org.jspecify..",
            "com.fasterxml.jackson.core..",
            "org.vramkit.api..",
            "org.vramkit.sim..")
        .check(VRAMKIT);
  }

  @Test
  @DisplayName("The kits see the api and no backend; what runs on the simulator sees it as well")
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
  @DisplayName("Packages have no cycles")
  void cycles() {
    slices().matching("org.vramkit.(**)").should().beFreeOfCycles().check(VRAMKIT);
  }
}
