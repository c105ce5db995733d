package org.vramkit.ffm;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vramkit.api.device.Backend;
import org.vramkit.cuda.CLibrary;
import org.vramkit.cuda.CudaBackend;
import org.vramkit.pool.caching.CachingAllocator;

@DisplayName("README's five lines need four modules and the driver's library")
class FiveLinesTest {
  /** The program of the README; the build checks that both are equal. */
  private static final Path SOURCE =
      Path.of("..", "examples", "src", "main", "java", "org", "vramkit", "examples")
          .resolve("FiveLines.java");

  private static final String MAIN = "org.vramkit.examples.FiveLines";
  private static final String NATIVE_ACCESS = "--enable-native-access=ALL-UNNAMED";

  /** The parameter lists of the program's calls, nine of fifteen; see {@link Call}. */
  private static final Set<String> CALLED =
      Set.of("None", "I", "L", "LI", "LII", "LL", "LBLL", "LLILL", "Question");

  @TempDir private Path folder;
  private String classPath = "";

  @BeforeEach
  void compile() throws IOException, InterruptedException, URISyntaxException {
    CLibrary.build("device.c", folder.resolve("libcuda.so.1"));
    List<String> parts = new ArrayList<>(List.of(folder.toString()));
    for (Class<?> each :
        List.of(Backend.class, CachingAllocator.class, CudaBackend.class, FfmDriver.class)) {
      parts.add(
          Path.of(each.getProtectionDomain().getCodeSource().getLocation().toURI()).toString());
    }
    classPath = String.join(File.pathSeparator, parts);
    int result =
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                null,
                null,
                "-proc:none",
                "-cp",
                classPath,
                "-d",
                folder.toString(),
                SOURCE.toString());
    assertEquals(0, result, "the compiler's result");
  }

  @Test
  @DisplayName("23.4 they run on a JVM, and leave nothing")
  void onJvm() throws IOException, InterruptedException {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    assertRuns(java, NATIVE_ACCESS, "-cp", classPath, MAIN);
  }

  @Test
  @DisplayName("46.6 they start no logging, and link only the calls that they make")
  void start() throws IOException, InterruptedException {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    Path log = folder.resolve("classes.txt");
    run(java, "-Xlog:class+load:file=" + log + ":none", NATIVE_ACCESS, "-cp", classPath, MAIN);
    Set<String> loaded = new HashSet<>();
    for (String line : Files.readAllLines(log)) {
      loaded.add(line.split(" ", 2)[0]);
    }
    assertTrue(loaded.contains(Call.class.getName()), "the log has no class of the binding");
    assertFalse(loaded.contains("java.util.logging.LogManager"), "logging started");
    assertFalse(loaded.contains("java.lang.runtime.ObjectMethods"), "a record's method is linked");
    Set<String> linked =
        Arrays.stream(Call.class.getDeclaredClasses())
            .filter(each -> loaded.contains(each.getName() + "$Linked"))
            .map(Class::getSimpleName)
            .collect(Collectors.toSet());
    assertEquals(CALLED, linked);
  }

  @Test
  @DisplayName("23.4 they run as a native image, and leave nothing")
  void asNativeImage() throws IOException, InterruptedException {
    Path image = folder.resolve("five-lines");
    String built =
        run(
            nativeImage().toString(),
            "--no-fallback",
            NATIVE_ACCESS,
            "-cp",
            classPath,
            "-o",
            image.toString(),
            MAIN);
    assertTrue(Files.isExecutable(image), built);
    assertRuns(image.toString());
  }

  /** Returns GraalVM's {@code native-image}; skips the test if it is missing. */
  private static Path nativeImage() {
    String home = System.getenv("GRAALVM_HOME");
    Stream<Path> places =
        home != null
            ? Stream.of(Path.of(home, "bin"))
            : Arrays.stream(
                    Objects.requireNonNullElse(System.getenv("PATH"), "").split(File.pathSeparator))
                .map(Path::of);
    Path found =
        places
            .map(each -> each.resolve("native-image"))
            .filter(Files::isExecutable)
            .findFirst()
            .orElse(null);
    Assumptions.assumeTrue(
        found != null,
        home != null
            ? "no native-image in GRAALVM_HOME, " + home
            : "no native-image on the PATH, and GRAALVM_HOME is not set");
    return Objects.requireNonNull(found);
  }

  private void assertRuns(String... command) throws IOException, InterruptedException {
    String told = run(command);
    assertTrue(told.contains("4194304 bytes filled with 0\n"), told);
    assertTrue(told.contains("device 0 released, 0 live\n"), told);
  }

  /** Runs a program on the C driver, checks that it succeeds, and returns its output. */
  private String run(String... command) throws IOException, InterruptedException {
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("LD_LIBRARY_PATH", folder.toString());
    builder.environment().remove("VRAMKIT_BACKEND");
    Process process = builder.start();
    String told = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertEquals(0, process.waitFor(), told);
    return told;
  }
}
