package org.vramkit.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Finds the recorded programs in the project's folder {@code traces}, which also contains a log and
 * a snapshot for tests of formats.
 */
public final class Programs {
  /** System property that names the folder; the default is {@code traces}. */
  private static final String FOLDER = "vramkit.traces";

  private Programs() {}

  /** Returns all recorded programs, sorted by name. */
  public static List<Path> getAll() {
    try (Stream<Path> files = Files.list(folder())) {
      return files
          .filter(file -> String.valueOf(file.getFileName()).matches("(?!rmm-).*\\.csv\\.gz"))
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(
          "cannot list the traces in "
              + folder().toAbsolutePath()
              + "; set -D"
              + FOLDER
              + "=FOLDER",
          e);
    }
  }

  /**
   * Returns a recorded program.
   *
   * @param name file name without {@code .csv.gz}
   */
  public static Path get(String name) {
    Path path = folder().resolve(name + ".csv.gz");
    if (!Files.isReadable(path)) {
      throw new IllegalArgumentException(
          "no trace " + path.toAbsolutePath() + "; set -D" + FOLDER + "=FOLDER");
    }
    return path;
  }

  private static Path folder() {
    return Path.of(System.getProperty(FOLDER, "traces"));
  }
}
