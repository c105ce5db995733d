package org.vramkit.tools.documents;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Exported types")
class ExportedTypesTest {
  private static final Pattern WORD = Pattern.compile("\\w+");

  @Test
  @DisplayName(
      "46.4 are named by a document, an example, another module or an exported type, or are"
          + " services")
  void reasons() throws IOException {
    List<PublicType> exported = PublicType.all();
    assertTrue(exported.size() > 200, "found only " + exported.size());
    Map<Path, Set<String>> sources = new HashMap<>();
    for (PublicType each : exported) {
      sources.put(each.file(), words(Project.read(each.file())));
    }
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
                    sources.entrySet().stream()
                        .filter(other -> !other.getKey().equals(type.file()))
                        .noneMatch(other -> other.getValue().contains(type.name())))
            .map(type -> type.module() + ": " + type.name())
            .toList();
    assertEquals(List.of(), withoutReason, "make them package-private, or show what they are for");
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
