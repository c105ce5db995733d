package org.vramkit.tools.documents;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** The files of the repository, as the tests of {@code tools} find them. */
final class Project {
  static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  private static final Set<String> NO_SOURCES = Set.of("target", ".git", ".mvn", ".fast", ".gpu");

  private Project() {}

  /** All files whose path below the root, with slashes, fits; sorted. */
  static List<Path> files(Predicate<String> fits) throws IOException {
    List<Path> found = new ArrayList<>();
    Files.walkFileTree(
        ROOT,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
            return NO_SOURCES.contains(folder.getFileName().toString()) && !folder.equals(ROOT)
                ? FileVisitResult.SKIP_SUBTREE
                : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (fits.test(nameOf(file))) {
              found.add(file);
            }
            return FileVisitResult.CONTINUE;
          }
        });
    return found.stream().sorted().toList();
  }

  /** The path below the root, with slashes. */
  static String nameOf(Path file) {
    return ROOT.relativize(file).toString().replace('\\', '/');
  }

  static String read(Path file) throws IOException {
    return Files.readString(file).replace("\r\n", "\n");
  }

  /** All pages of Markdown. */
  static List<Path> pages() throws IOException {
    return files(name -> name.endsWith(".md"));
  }

  /** Simple names of all classes under {@code src/test}, and of those that tests are made of. */
  static Set<String> testClasses() throws IOException {
    return files(name -> name.contains("/src/test/") && name.matches(".*\\.(java|kt)")).stream()
        .map(file -> file.getFileName().toString().replaceAll("\\.(java|kt)$", ""))
        .collect(Collectors.toUnmodifiableSet());
  }
}
