package org.vramkit.examples;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.StringWriter;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.apache.velocity.VelocityContext;
import org.apache.velocity.app.VelocityEngine;
import org.jetbrains.kotlin.cli.common.ExitCode;
import org.jetbrains.kotlin.cli.jvm.K2JVMCompiler;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Events;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.testkit.sim.HazardError;

/**
 * The files of the archetype, with the classes of this build. The module {@code archetype} creates
 * projects by the plugin itself, and the release builds them from its bundle.
 */
@DisplayName("A project that the archetype creates")
class ArchetypeTest {
  private static final Path RESOURCES =
      Path.of("..", "archetype", "src", "main", "resources", "archetype-resources");

  private static String fill(String file, String language) throws IOException {
    Map<String, Object> properties = new HashMap<>();
    properties.put("language", language);
    properties.put("groupId", "com.example");
    properties.put("artifactId", "first-steps");
    properties.put("version", "1");
    properties.put("package", "com.example");
    StringWriter text = new StringWriter();
    new VelocityEngine()
        .evaluate(
            new VelocityContext(properties), text, file, Files.readString(RESOURCES.resolve(file)));
    return text.toString().replace("\r\n", "\n");
  }

  private static String find(String pattern, String text) {
    Matcher found = Pattern.compile(pattern, Pattern.DOTALL).matcher(text);
    assertTrue(found.find(), () -> "no " + pattern);
    return found.group(1);
  }

  @ParameterizedTest
  @DisplayName("has the pom that docs/setup.md prints")
  @CsvSource({"java, Maven", "kotlin, Kotlin with Maven"})
  void pom(String language, String heading) throws IOException {
    String page = Files.readString(Path.of("..", "docs", "setup.md")).replace("\r\n", "\n");
    String printed = find("\n##+ " + heading + "\n.*?\n```xml\n(.*?)```", page);
    String kotlin = find("<artifactId>kotlin-maven-plugin</artifactId>\n *<version>(.*?)<", page);
    String own = find("<artifactId>vramkit-bom</artifactId>\n *<version>(.*?)<", page);
    String created = fill("pom.xml", language);
    assertEquals(
        printed, created.replace("@project.version@", own).replace("@kotlin.version@", kotlin));
  }

  @Test
  @DisplayName("has a test in Java that finds the race at its line, and one that is right")
  void testsInJava(@TempDir Path folder) throws IOException, ClassNotFoundException {
    tests("java", "BatchTest.java", folder, ArchetypeTest::compileJava);
  }

  @Test
  @Tag("nightly")
  @DisplayName("has a test in Kotlin that finds the race at its line, and one that is right")
  void testsInKotlin(@TempDir Path folder) throws IOException, ClassNotFoundException {
    tests("kotlin", "BatchTest.kt", folder, ArchetypeTest::compileKotlin);
  }

  private static void tests(
      String language, String file, Path folder, BiConsumer<Path, Path> compiler)
      throws IOException, ClassNotFoundException {
    String source = fill("src/test/" + language + "/" + file, language);
    Path written = Files.writeString(folder.resolve(file), source);
    Path classes = Files.createDirectory(folder.resolve("classes"));
    compiler.accept(written, classes);
    try (URLClassLoader loader = new URLClassLoader(new URL[] {classes.toUri().toURL()})) {
      Events events =
          EngineTestKit.engine("junit-jupiter")
              .selectors(selectClass(loader.loadClass("com.example.BatchTest")))
              .configurationParameter("vramkit.programs", folder.resolve("programs").toString())
              .execute()
              .testEvents()
              .assertStatistics(statistics -> statistics.started(2).succeeded(1).failed(1));
      HazardError error =
          events
              .failed()
              .map(event -> event.getRequiredPayload(TestExecutionResult.class))
              .map(result -> (HazardError) result.getThrowable().orElseThrow())
              .findFirst()
              .orElseThrow();
      assertEquals(HazardCode.EARLY_REUSE, error.getReports().get(0).code());
      String test = "com.example.BatchTest.batchIsReusedWhenTrained(" + file + ":";
      int use = lineOf("training.launch(", source);
      assertTrue(error.getMessage().contains(test + use + ")"), error.getMessage());
      // A block of `use` in Kotlin closes the batch at the line where it begins.
      assertTrue(error.getMessage().contains("remedy   record the use by recordUse"));
    }
  }

  private static int lineOf(String part, String source) {
    List<String> lines = source.lines().toList();
    return 1
        + lines.indexOf(
            lines.stream().filter(line -> line.contains(part)).findFirst().orElseThrow());
  }

  private static void compileJava(Path source, Path classes) {
    OutputStream out = new ByteArrayOutputStream();
    int code =
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                out,
                out,
                "-parameters",
                "-Xlint:all",
                "-proc:none",
                "-cp",
                System.getProperty("java.class.path"),
                "-d",
                classes.toString(),
                source.toString());
    assertEquals(0, code, out::toString);
  }

  private static void compileKotlin(Path source, Path classes) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ExitCode code =
        new K2JVMCompiler()
            .exec(
                new PrintStream(out, true, UTF_8),
                "-no-stdlib",
                "-no-reflect",
                "-jvm-target",
                "17",
                "-java-parameters",
                "-cp",
                System.getProperty("java.class.path"),
                "-d",
                classes.toString(),
                source.toString());
    assertEquals(ExitCode.OK, code, () -> out.toString(UTF_8));
  }
}
