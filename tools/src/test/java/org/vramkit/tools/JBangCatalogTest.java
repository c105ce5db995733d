package org.vramkit.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * The catalog names sources of the examples, which the build compiles and runs. A release runs each
 * alias by JBang, from its bundle.
 */
@DisplayName("Each alias of the JBang catalog")
class JBangCatalogTest {
  private static final Path ROOT = Path.of("..");
  private static final String TESTS = "examples/src/test/java/";
  private static final String RESOURCES = "examples/src/test/resources/";
  private static final String SELECT = "--select-class=";

  private Map<String, JsonNode> aliases = Map.of();

  @BeforeEach
  void read() throws IOException {
    JsonNode catalog = new ObjectMapper().readTree(ROOT.resolve("jbang-catalog.json").toFile());
    aliases = Map.copyOf(Map.ofEntries(entries(catalog.get("aliases"))));
    assertTrue(aliases.size() >= 3, aliases::toString);
  }

  @SuppressWarnings({"unchecked", "rawtypes"})
  private static Map.Entry<String, JsonNode>[] entries(JsonNode object) {
    return object.properties().toArray(Map.Entry[]::new);
  }

  private static List<String> texts(JsonNode alias, String field) {
    JsonNode list = alias.path(field);
    return list.valueStream().map(JsonNode::asText).toList();
  }

  /** Returns what the lines of a script with this directive name. */
  private static Stream<String> named(String script, String directive) {
    try {
      return Files.readAllLines(ROOT.resolve(script)).stream()
          .filter(line -> line.startsWith(directive))
          .map(line -> line.substring(directive.length()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the path from the root to a file that a script names. */
  private static String beside(String script, String file) {
    Path path = Path.of(script).resolveSibling(file).normalize();
    assertTrue(Files.isRegularFile(ROOT.resolve(path)), path::toString);
    return path.toString().replace('\\', '/');
  }

  @Test
  @DisplayName("runs a source or an artifact that is there, with its files")
  void scripts() {
    aliases.forEach(
        (name, alias) -> {
          String script = alias.get("script-ref").asText();
          if (script.startsWith("org.vramkit:")) {
            assertTrue(script.startsWith("org.vramkit:vramkit-tools:"), name);
            assertTrue(script.endsWith(":cli"), name);
          } else {
            assertTrue(Files.isRegularFile(ROOT.resolve(script)), name);
            named(script, "//FILES ")
                .forEach(
                    file -> {
                      String[] parts = file.split("=", 2);
                      assertEquals(RESOURCES + parts[0], beside(script, parts[1]), name);
                    });
          }
          // JBang looks for them in the current folder, wherever the catalog is.
          assertTrue(texts(alias, "files").isEmpty(), name);
        });
  }

  @Test
  @DisplayName("selects the class of its source, if it is a test")
  void tests() {
    aliases.forEach(
        (name, alias) -> {
          for (String argument : texts(alias, "arguments")) {
            if (argument.startsWith(SELECT)) {
              String type = argument.substring(SELECT.length()).replace('.', '/');
              String script = alias.get("script-ref").asText();
              List<String> sources =
                  Stream.concat(
                          Stream.of(script),
                          named(script, "//SOURCES ").map(source -> beside(script, source)))
                      .toList();
              assertTrue(sources.contains(TESTS + type + ".java"), () -> name + ": " + sources);
            }
          }
        });
  }

  @Test
  @DisplayName("depends on artifacts of the BOM, and on JUnit as the build does")
  void dependencies() throws IOException {
    String bom = Files.readString(ROOT.resolve("bom/pom.xml"));
    String junit =
        Files.readString(ROOT.resolve("pom.xml"))
            .split("<junit.version>", 2)[1]
            .split("<", 2)[0]
            .replaceFirst("^5", "1");
    aliases.forEach(
        (name, alias) -> {
          for (String dependency : texts(alias, "dependencies")) {
            String[] parts = dependency.split(":", -1);
            if (parts[0].equals("org.vramkit")) {
              boolean isNamed = bom.contains("<artifactId>" + parts[1] + "</artifactId>");
              assertTrue(isNamed, name + ": " + dependency);
            } else {
              assertEquals("org.junit.platform:junit-platform-console:" + junit, dependency);
            }
          }
        });
  }
}
