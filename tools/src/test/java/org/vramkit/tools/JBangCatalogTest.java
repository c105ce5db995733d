package org.vramkit.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
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
          }
          for (String file : texts(alias, "files")) {
            String[] parts = file.split("=", 2);
            assertEquals(RESOURCES + parts[0], parts[1], name);
            assertTrue(Files.isRegularFile(ROOT.resolve(parts[1])), name);
          }
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
              assertEquals(alias.get("script-ref").asText(), TESTS + type + ".java", name);
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
