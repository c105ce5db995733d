package org.vramkit.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The launcher script in a copy of the project that holds only what it looks at, with a build that
 * notes that it ran and a Java that tells how it was called.
 */
class LauncherTest {
  private static final String BUILD =
      """
      #!/usr/bin/env bash
      echo "$@" >> builds
      mkdir -p tools/target/lib
      touch tools/target/vramkit.jar tools/target/lib/binding-2.jar
      """;
  private static final String JAVA =
      """
      #!/usr/bin/env bash
      echo "locale ${LC_ALL:-none}"
      printf '%s\\n' "$@"
      """;

  @TempDir private Path folder = Path.of("");
  private Path project = Path.of("");

  private record Run(int code, String out, String err) {}

  @BeforeEach
  void project() throws IOException {
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/env")), "the launcher is a Unix script");
    project = Files.createDirectories(folder.resolve("a project with späces"));
    for (String module : List.of("api", "backend-sim", "pool", "tools")) {
      Files.createDirectories(project.resolve(module).resolve("src/main"));
      Files.createFile(project.resolve(module).resolve("pom.xml"));
    }
    Files.createFile(project.resolve("pom.xml"));
    script(project.resolve("vramkit"), Files.readString(Path.of("..", "vramkit")));
    script(project.resolve("mvnw"), BUILD);
    script(folder.resolve("jdk/bin/java"), JAVA);
  }

  private static void script(Path file, String text) throws IOException {
    Files.createDirectories(file.toAbsolutePath().getParent());
    Files.writeString(file, text);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private Run run(Path from, Map<String, String> environment, String... command)
      throws IOException, InterruptedException {
    Path err = Files.createTempFile(folder, "err", "");
    ProcessBuilder builder =
        new ProcessBuilder(command).directory(from.toFile()).redirectError(err.toFile());
    builder.environment().put("JAVA_HOME", folder.resolve("jdk").toString());
    builder.environment().putAll(environment);
    Process process = builder.start();
    String out;
    try (InputStream stream = process.getInputStream()) {
      out = new String(stream.readAllBytes(), StandardCharsets.UTF_8);
    }
    return new Run(process.waitFor(), out, Files.readString(err));
  }

  private long builds() throws IOException {
    Path log = project.resolve("builds");
    return Files.exists(log) ? Files.readAllLines(log).size() : 0;
  }

  @Test
  @DisplayName("The first call builds, the next does not, and a newer source builds again")
  void buildsWhenStale() throws IOException, InterruptedException {
    Run first = run(project, Map.of(), "./vramkit", "devices", "two words");
    assertEquals(0, first.code(), first.err());
    assertEquals("building...", first.err().strip());
    assertTrue(first.out().contains("/vramkit.jar:"), first.out());
    assertTrue(first.out().endsWith("org.vramkit.tools.Main\ndevices\ntwo words\n"), first.out());
    assertEquals("", run(project, Map.of(), "./vramkit").err());
    assertEquals(1, builds());
    assertEquals(
        "-B -ntp -DskipTests -Dmaven.test.skip=true -pl tools -am package",
        Files.readString(project.resolve("builds")).strip(),
        "44.4 tests are neither compiled nor run");
    Files.setLastModifiedTime(
        project.resolve("pool/pom.xml"), FileTime.fromMillis(System.currentTimeMillis() + 60_000));
    run(project, Map.of(), "./vramkit");
    assertEquals(2, builds());
  }

  @Test
  @DisplayName("The launcher checks the sources of every module whose jar it runs")
  void modules() throws IOException {
    Matcher list =
        Pattern.compile("for module in (.*); do")
            .matcher(Files.readString(Path.of("..", "vramkit")));
    assertTrue(list.find());
    List<String> watched = List.of(list.group(1).split(" ", -1));
    Set<String> used = new TreeSet<>(modulesOf("tools", false));
    new TreeSet<>(used).forEach(module -> used.addAll(modulesOf(module, false)));
    assertTrue(used.contains("pool"), used::toString);
    assertTrue(watched.containsAll(used), () -> watched + " lack some of " + used);
    // The scope test would keep a module out of the jar, although another one needs it.
    used.retainAll(modulesOf("tools", true));
    assertEquals(Set.of(), used);
  }

  /** Returns the modules on which a module depends, for its tests or for all else. */
  private static List<String> modulesOf(String module, boolean isForTests) {
    String dependency = "<artifactId>vramkit-([a-z-]+)</artifactId>\\s*(<scope>test)?";
    try {
      return Pattern.compile("(?s)<dependencies>.*</dependencies>")
          .matcher(Files.readString(Path.of("..", module, "pom.xml")))
          .results()
          .flatMap(part -> Pattern.compile(dependency).matcher(part.group()).results())
          .filter(each -> isForTests == (each.group(2) != null))
          .map(each -> each.group(1))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  @DisplayName("It runs from anywhere: another folder, symbolic links, a CDPATH in the way")
  void fromAnywhere() throws IOException, InterruptedException {
    Path link = Files.createSymbolicLink(folder.resolve("link"), project.resolve("vramkit"));
    Path second = Files.createSymbolicLink(folder.resolve("second"), Path.of("link"));
    String relative = project.getFileName() + "/vramkit";
    Map<String, String> cdpath = Map.of("CDPATH", folder.toString());
    assertEquals(0, run(Path.of("/"), Map.of(), link.toString()).code());
    assertEquals(0, run(Path.of("/"), Map.of(), second.toString()).code());
    Run far = run(folder, cdpath, "bash", relative, "x");
    assertEquals(0, far.code(), far.err());
    assertTrue(far.out().endsWith("\nx\n"), far.out());
    assertEquals(1, builds());
  }

  @Test
  @DisplayName("In the plain locale Java is given one in which it finds every file")
  void locale() throws IOException, InterruptedException {
    assertTrue(run(project, Map.of("LC_ALL", "C"), "./vramkit").out().contains("locale C.UTF-8"));
    assertTrue(
        run(project, Map.of("LC_ALL", "de_DE.UTF-8"), "./vramkit")
            .out()
            .contains("locale de_DE.UTF-8"));
  }

  @Test
  @DisplayName("46.2 A binding of another version does not stay beside the new one")
  void otherVersion() throws IOException, InterruptedException {
    Path lib = Files.createDirectories(project.resolve("tools/target/lib"));
    Files.createFile(lib.resolve("binding-1.jar"));
    String out = run(project, Map.of(), "./vramkit").out();
    assertTrue(out.contains("/vramkit.jar:"), out);
    assertFalse(Files.exists(lib.resolve("binding-1.jar")));
    assertTrue(Files.exists(lib.resolve("binding-2.jar")));
  }

  @Test
  @DisplayName("A build prints the current module and errors, and nothing else")
  void showsModules() throws IOException, InterruptedException {
    String modules =
        """
        #!/usr/bin/env bash
        echo "[INFO] Scanning for projects..."
        echo "[INFO] Building Vramkit pools 0.1.0-SNAPSHOT               [5/9]"
        sleep 1
        """;
    script(project.resolve("mvnw"), modules + "echo '[ERROR] the reason'\nexit 3\n");
    assertEquals(
        List.of(
            "building...",
            "  Vramkit pools [5/9]",
            "[ERROR] the reason",
            "vramkit: the build failed; see the lines above"),
        run(project, Map.of(), "./vramkit").err().lines().toList());
  }

  @Test
  @DisplayName("A build that fails shows its lines, ends with 1, and is tried again")
  void failedBuild() throws IOException, InterruptedException {
    script(project.resolve("mvnw"), "#!/usr/bin/env bash\necho the reason\nexit 3\n");
    Run failed = run(project, Map.of(), "./vramkit");
    assertEquals(1, failed.code());
    assertEquals("", failed.out());
    assertEquals(
        List.of("building...", "the reason", "vramkit: the build failed; see the lines above"),
        failed.err().lines().toList());
    script(project.resolve("mvnw"), BUILD);
    assertEquals(0, run(project, Map.of(), "./vramkit").code());
  }

  @Test
  @DisplayName("If several first calls run at once, one builds")
  void concurrentCalls() throws IOException, InterruptedException {
    assumeTrue(run(project, Map.of(), "bash", "-c", "command -v flock").code() == 0, "needs flock");
    script(project.resolve("mvnw"), BUILD + "sleep 1\n");
    Run all =
        run(
            project,
            Map.of(),
            "bash",
            "-c",
            "set -e; ./vramkit a & one=$!; ./vramkit b & two=$!; wait $one; wait $two");
    assertEquals(0, all.code(), all.err());
    assertEquals(1, builds());
  }

  @Test
  @DisplayName("Without Java or a way to build, one line names the remedy")
  void cannotRun() throws IOException, InterruptedException {
    Files.createFile(project.resolve("tools/target"));
    Run blocked = run(project, Map.of(), "./vramkit");
    assertEquals(1, blocked.code());
    assertTrue(blocked.err().contains("vramkit: cannot write to "), blocked.err());
    assertEquals(2, blocked.err().lines().count(), blocked.err());
    Run none = run(project, Map.of("JAVA_HOME", "/nowhere"), "./vramkit");
    assertEquals(2, none.code());
    assertTrue(none.err().contains("'/nowhere/bin/java'"), none.err());
  }
}
