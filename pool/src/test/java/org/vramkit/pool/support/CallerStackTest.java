package org.vramkit.pool.support;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The stack of a caller")
class CallerStackTest {
  /** Modules whose code is the caller's: programs and test kits. */
  private static final Set<String> CALLERS = Set.of("bench", "examples", "testkit", "tools");

  @Test
  @DisplayName("begins behind the frames of every module of the library")
  void leavesOutEveryModule() throws IOException {
    Set<String> packages = new TreeSet<>();
    try (Stream<Path> modules = Files.list(Path.of(".."))) {
      for (Path module : modules.toList()) {
        for (String sources : Set.of("src/main/java", "src/main/kotlin")) {
          Path root = module.resolve(sources).resolve("org/vramkit");
          if (Files.isDirectory(root)) {
            try (Stream<Path> children = Files.list(root)) {
              children
                  .filter(Files::isDirectory)
                  .map(each -> each.getFileName().toString())
                  .forEach(packages::add);
            }
          }
        }
      }
    }
    packages.removeAll(CALLERS);
    assertEquals(packages, new TreeSet<>(CallerStack.LIBRARY));
  }
}
