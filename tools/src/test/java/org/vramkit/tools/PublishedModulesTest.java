package org.vramkit.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("The published set of modules")
class PublishedModulesTest {
  private static final Pattern MODULE = Pattern.compile("<module>(.*?)</module>");

  private static final Pattern IMPORT =
      Pattern.compile("(?m)^import (?:static )?(org\\.vramkit(?:\\.[a-z]\\w*)+)\\.[A-Z].*;");

  private static String pom(String folder) throws IOException {
    return Files.readString(Path.of("..", folder, "pom.xml"));
  }

  /** The first value of a property of the root, which holds unless a profile changes it. */
  private static String property(String name) throws IOException {
    String root = pom(".");
    int start = root.indexOf('<' + name + '>') + name.length() + 2;
    return root.substring(start, root.indexOf('<', start));
  }

  @Test
  @DisplayName("17.24 equals the contents of the BOM")
  void bom() throws IOException {
    String bom = pom("bom");
    List<String> modules =
        MODULE.matcher(pom(".")).results().map((MatchResult module) -> module.group(1)).toList();
    assertTrue(modules.contains("pool"), modules.toString());
    for (String module : modules) {
      // The archetype creates projects; none depends on it.
      if (!Set.of("bom", "archetype").contains(module)) {
        boolean published = !pom(module).contains("<maven.deploy.skip>true</maven.deploy.skip>");
        boolean named = bom.contains("<artifactId>vramkit-" + module + "</artifactId>");
        assertEquals(published, named, module);
      }
    }
  }

  @Test
  @DisplayName("17.24 has one version in all documents, which is this one")
  void version() throws IOException {
    String version = property("revision") + property("changelist");
    Pattern snapshot = Pattern.compile("\\d+(\\.\\d+)+-SNAPSHOT");
    TreeSet<String> found = new TreeSet<>();
    for (Path page : documents()) {
      snapshot
          .matcher(Files.readString(page))
          .results()
          .filter(each -> !each.group().equals(version))
          .forEach(each -> found.add(page + " names " + each.group()));
    }
    assertEquals("[]", found.toString(), version);
    assertTrue(Files.readString(Path.of("..", "README.md")).contains(version), version);
  }

  private static List<Path> documents() throws IOException {
    try (Stream<Path> all = Files.walk(Path.of(".."), 2)) {
      return all.filter(
              page -> page.toString().endsWith(".md") || page.endsWith("jbang-catalog.json"))
          .toList();
    }
  }

  @ParameterizedTest
  @DisplayName(
      "17.24 A user's pom has the plugins of this build: those of Maven 3.8 compile for Java 5, and"
          + " skip tests of JUnit 5 silently")
  @CsvSource({"maven-compiler-plugin, 1", "maven-surefire-plugin, 2"})
  void plugins(String plugin, int poms) throws IOException {
    String page = Files.readString(Path.of("..", "docs", "setup.md"));
    Pattern own = Pattern.compile("<artifactId>" + plugin + "</artifactId>\\s*<version>(.*?)<");
    List<String> versions =
        own.matcher(page).results().map((MatchResult found) -> found.group(1)).toList();
    Matcher built = own.matcher(pom("."));
    assertTrue(built.find());
    assertEquals(Collections.nCopies(poms, built.group(1)), versions);
  }

  @Test
  @DisplayName("44.4 A build without tests needs no jar of tests")
  void jarsOfTests() throws IOException {
    for (String module : List.of("sim-replay", "backend-ffm", "interop")) {
      String pom = pom(module);
      int profile = pom.indexOf("<id>tests</id>");
      assertTrue(profile > 0 && pom.indexOf("<type>test-jar</type>") > profile, module);
      assertTrue(pom.contains("<name>maven.test.skip</name>"), module);
    }
  }

  @Test
  @DisplayName("17.24 uses the exported packages of its modules, also where none is declared")
  void exports() throws IOException {
    // javac takes the class path for a module without a descriptor, but its users and Javadoc the
    // module path.
    List<String> modules =
        MODULE.matcher(pom(".")).results().map((MatchResult module) -> module.group(1)).toList();
    Map<String, Boolean> isExported = new HashMap<>();
    for (String module : modules) {
      Path sources = Path.of("..", module, "src", "main", "java");
      Path descriptor = sources.resolve("module-info.java");
      if (Files.exists(descriptor)) {
        String text = Files.readString(descriptor);
        for (String each : packages(sources)) {
          isExported.put(each, text.contains("exports " + each + ";"));
        }
      }
    }
    assertTrue(isExported.containsValue(false) && isExported.containsValue(true));
    TreeSet<String> hidden = new TreeSet<>();
    for (String module : modules) {
      Path sources = Path.of("..", module, "src", "main", "java");
      boolean published = !pom(module).contains("<maven.deploy.skip>true</maven.deploy.skip>");
      if (published
          && Files.exists(sources)
          && !Files.exists(sources.resolve("module-info.java"))) {
        for (Path file : javaFiles(sources)) {
          IMPORT
              .matcher(Files.readString(file))
              .results()
              .filter(each -> !isExported.getOrDefault(each.group(1), true))
              .forEach(each -> hidden.add(file + " imports " + each.group(1)));
        }
      }
    }
    assertEquals("[]", hidden.toString(), "export the package, or do without it");
  }

  private static List<Path> javaFiles(Path sources) throws IOException {
    try (Stream<Path> all = Files.walk(sources)) {
      return all.filter(file -> file.toString().endsWith(".java")).toList();
    }
  }

  private static Set<String> packages(Path sources) throws IOException {
    return javaFiles(sources).stream()
        .map(file -> sources.relativize(file).getParent())
        .filter(Objects::nonNull)
        .map(folder -> folder.toString().replace(File.separatorChar, '.'))
        .collect(Collectors.toSet());
  }
}
