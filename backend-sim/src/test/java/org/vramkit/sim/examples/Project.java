package org.vramkit.sim.examples;

import java.nio.file.Files;
import java.nio.file.Path;

/** Where the project's files are. */
final class Project {
  static final String PAGE = "docs/simulator.md";

  private Project() {}

  /** The nearest folder at or above the working one that has the documents. */
  static Path root() {
    Path start = Path.of("").toAbsolutePath();
    for (Path folder = start; folder != null; folder = folder.getParent()) {
      if (Files.exists(folder.resolve(PAGE))) {
        return folder;
      }
    }
    throw new IllegalStateException("no " + PAGE + " at or above " + start);
  }
}
