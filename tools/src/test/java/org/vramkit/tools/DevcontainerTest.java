package org.vramkit.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The development container")
class DevcontainerTest {
  private static final Path FOLDER = Path.of("..", ".devcontainer");

  private static List<String> find(String pattern, String text) {
    return Pattern.compile(pattern)
        .matcher(text)
        .results()
        .flatMap(found -> List.of(found.group(1).split(", ")).stream())
        .toList();
  }

  @Test
  @DisplayName("has the oldest and the newest JDK of CI, of which the oldest is the build's")
  void jdks() throws IOException {
    String build = Files.readString(Path.of("..", ".github", "workflows", "build.yml"));
    List<String> ofCi = find("java: \\[(.*)]", build);
    String image = Files.readString(FOLDER.resolve("Dockerfile"));
    assertEquals(
        List.of(ofCi.get(0), ofCi.get(ofCi.size() - 1)), find("eclipse-temurin:(\\d+)-jdk", image));
    String pom = Files.readString(Path.of("..", "pom.xml"));
    assertEquals(find("<maven.compiler.release>(\\d+)<", pom).get(0), ofCi.get(0));
    assertTrue(image.contains("ENV JAVA" + ofCi.get(ofCi.size() - 1) + "_HOME="), image);
  }

  @Test
  @DisplayName("is built from its Dockerfile, and compiles by the wrapper")
  void json() throws IOException {
    JsonNode container = new ObjectMapper().readTree(FOLDER.resolve("devcontainer.json").toFile());
    String dockerfile = container.get("build").get("dockerfile").asText();
    assertTrue(Files.isRegularFile(FOLDER.resolve(dockerfile)), dockerfile);
    String command = container.get("postCreateCommand").asText();
    assertTrue(Files.isExecutable(Path.of("..").resolve(command.split(" ", 2)[0])), command);
  }
}
