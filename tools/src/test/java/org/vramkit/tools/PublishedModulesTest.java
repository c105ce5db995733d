package org.vramkit.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The published set of modules")
class PublishedModulesTest {
  private static final Pattern MODULE = Pattern.compile("<module>(.*?)</module>");

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
      if (!module.equals("bom")) {
        boolean published = !pom(module).contains("<maven.deploy.skip>true</maven.deploy.skip>");
        boolean named = bom.contains("<artifactId>vramkit-" + module + "</artifactId>");
        assertEquals(published, named, module);
      }
    }
  }

  @Test
  @DisplayName("17.24 has one version in the README, which is this one")
  void readme() throws IOException {
    String version = property("revision") + property("changelist");
    String readme = Files.readString(Path.of("..", "README.md"));
    assertTrue(
        readme.contains(
            "<artifactId>vramkit-bom</artifactId>\n      <version>" + version + "</version>"),
        version);
    assertEquals(1, readme.split("<version>", -1).length - 1);
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
}
