package org.vramkit.tools.documents;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Exported types")
class ExportedTypesTest {
  private static final Pattern EXPORT = Pattern.compile("exports ([\\w.]+);");
  private static final Pattern TYPE =
      Pattern.compile(
          "^public (?:(?:final|abstract|sealed|non-sealed)"
              + " )*(?:class|interface|record|enum|@interface) (\\w+)",
          Pattern.MULTILINE);

  private static final Pattern ARTIFACT = Pattern.compile("<artifactId>vramkit-(.*)</artifactId>");
  private static final Pattern WORD = Pattern.compile("\\w+");

  /** A public type of an exported package, and the words of its source. */
  private record Exported(String module, String name, Set<String> words) {}

  @Test
  @DisplayName(
      "46.4 are named by a document, an example, another module or an exported type, or are"
          + " services")
  void reasons() throws IOException {
    List<Exported> exported = exported();
    assertTrue(exported.size() > 200, "found only " + exported.size());
    Map<String, Set<String>> words = wordsByModule();
    String services = services();
    List<String> withoutReason =
        exported.stream()
            .filter(type -> !services.contains("." + type.name() + "\n"))
            .filter(
                type ->
                    words.entrySet().stream()
                        .filter(module -> !module.getKey().equals(type.module()))
                        .noneMatch(module -> module.getValue().contains(type.name())))
            .filter(
                type ->
                    exported.stream()
                        .filter(other -> !other.equals(type))
                        .noneMatch(other -> other.words().contains(type.name())))
            .map(type -> type.module() + ": " + type.name())
            .toList();
    assertEquals(List.of(), withoutReason, "make them package-private, or show what they are for");
  }

  private static List<Exported> exported() throws IOException {
    List<Exported> types = new ArrayList<>();
    Matcher published = ARTIFACT.matcher(Project.read(Project.ROOT.resolve("bom/pom.xml")));
    while (published.find()) {
      Path sources = Project.ROOT.resolve(published.group(1)).resolve("src/main/java");
      // The command line is no library.
      if (!published.group(1).equals("tools") && Files.isDirectory(sources)) {
        for (Path file : exportedFiles(sources)) {
          String source = Project.read(file);
          Matcher type = TYPE.matcher(source);
          if (type.find()) {
            Set<String> words = words(source);
            types.add(new Exported(published.group(1), type.group(1), words));
          }
        }
      }
    }
    return types;
  }

  /** The files of the packages that a descriptor exports, or of all where there is none. */
  private static List<Path> exportedFiles(Path sources) throws IOException {
    Path descriptor = sources.resolve("module-info.java");
    List<Path> files = new ArrayList<>();
    if (Files.exists(descriptor)) {
      Matcher export = EXPORT.matcher(Project.read(descriptor));
      while (export.find()) {
        Path folder = sources.resolve(export.group(1).replace('.', '/'));
        // That of a module in Kotlin is not there.
        if (Files.isDirectory(folder)) {
          try (Stream<Path> all = Files.list(folder)) {
            all.forEach(files::add);
          }
        }
      }
    } else {
      try (Stream<Path> all = Files.walk(sources)) {
        all.forEach(files::add);
      }
    }
    return files.stream().filter(file -> file.toString().endsWith(".java")).sorted().toList();
  }

  /** The words of everything that is written in each module, and in the documents. */
  private static Map<String, Set<String>> wordsByModule() throws IOException {
    Map<String, Set<String>> words = new TreeMap<>();
    for (Path file : Project.files(name -> name.matches(".*\\.(java|kt|md)"))) {
      String module = Project.ROOT.relativize(file).getName(0).toString();
      words.computeIfAbsent(module, key -> new HashSet<>()).addAll(words(Project.read(file)));
    }
    return words;
  }

  private static Set<String> words(String text) {
    return WORD.matcher(text)
        .results()
        .map(MatchResult::group)
        .collect(Collectors.toUnmodifiableSet());
  }

  private static String services() throws IOException {
    StringBuilder services = new StringBuilder();
    for (Path file :
        Project.files(name -> name.contains("/src/main/resources/META-INF/services/"))) {
      services.append(Project.read(file).strip()).append('\n');
    }
    return services.toString();
  }
}
