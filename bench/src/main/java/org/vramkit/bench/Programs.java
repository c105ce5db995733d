package org.vramkit.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * The recorded programs of the project's folder {@code traces}. What else lies there, a log and a
 * snapshot, is for the formats.
 */
public final class Programs {
  /** The property that names the folder, {@code traces} in the working directory if not set. */
  private static final String FOLDER = "vramkit.traces";

  private Programs() {}

  /** All of them, by name. */
  public static List<Path> getAll() {
    try (Stream<Path> files = Files.list(folder())) {
      return files
          .filter(file -> String.valueOf(file.getFileName()).matches("(?!rmm-).*\\.csv\\.gz"))
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(
          "no traces in " + folder().toAbsolutePath() + "; say -D" + FOLDER + "=FOLDER", e);
    }
  }

  /**
   * One of them.
   *
   * @param name its file's name without {@code .csv.gz}
   */
  public static Path get(String name) {
    Path path = folder().resolve(name + ".csv.gz");
    if (!Files.isReadable(path)) {
      throw new IllegalArgumentException(
          "no trace " + path.toAbsolutePath() + "; say -D" + FOLDER + "=FOLDER");
    }
    return path;
  }

  private static Path folder() {
    return Path.of(System.getProperty(FOLDER, "traces"));
  }
}
