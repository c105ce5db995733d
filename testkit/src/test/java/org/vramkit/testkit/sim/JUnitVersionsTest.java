package org.vramkit.testkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.File;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimStream;

@DisplayName("On each version of JUnit that the documents promise")
@TestInstance(Lifecycle.PER_CLASS)
class JUnitVersionsTest {
  /** JUnit's own jars that hold all of it; the build copies one of each version there. */
  private static final Path JARS = Path.of("target", "junit");

  private static final List<String> PROMISED =
      List.of("1.9", "1.10", "1.11", "1.12", "1.13", "1.14", "6.0");

  /** Versions that make a test's instance in the context of its class. */
  private static final String BEFORE_5_12 = "1\\.(9|10|11)\\..*";

  /** By version, because loading a JUnit takes longer than running a test with it. */
  private final Map<String, URLClassLoader> loaders = new HashMap<>();

  @AfterAll
  void close() throws IOException {
    for (URLClassLoader each : loaders.values()) {
      each.close();
    }
  }

  static Stream<String> versions() throws IOException {
    try (Stream<Path> jars = Files.list(JARS)) {
      return jars
          .map(jar -> jar.getFileName().toString().replaceAll(".*-|\\.jar$", ""))
          .sorted()
          .toList()
          .stream();
    }
  }

  @Test
  @DisplayName("no version is left out")
  void all() throws IOException {
    assertEquals(
        PROMISED.stream().sorted().toList(),
        versions().map(version -> version.replaceAll("\\.\\d+$", "")).sorted().toList());
  }

  static class Repeated {
    @SimulatedTest(
        seeds = 2,
        schedules = {"random", "starving"})
    void runsAsItIsCalled(SimBackend gpu, SimStream a, SimStream b, TestInfo info) {
      expectNamed(info, gpu);
      if (gpu.getSeed() == 2 && gpu.getSchedule().toString().equals("starving")) {
        Programs.race(gpu.getDevice(0), a, b);
      }
    }
  }

  private static void expectNamed(TestInfo info, SimBackend gpu) {
    assertEquals(info.getDisplayName(), "seed " + gpu.getSeed() + ", " + gpu.getSchedule());
  }

  @ParameterizedTest
  @MethodSource("versions")
  @DisplayName("each run of a repeated test has the seed and the schedule of its name")
  void repeated(String version) {
    assertEquals(
        List.of(
            "seed 1, random: SUCCESSFUL",
            "seed 1, starving: SUCCESSFUL",
            "seed 2, random: SUCCESSFUL",
            "seed 2, starving: FAILED by HazardError"),
        run(version, Repeated.class));
  }

  static class Ordered {
    private static final List<String> LETTERS = new ArrayList<>();

    @EverySchedule
    void isEveryOrder(SimBackend gpu, SimStream a, SimStream b, TestInfo info) {
      expectNamed(info, gpu);
      List<String> order = new ArrayList<>();
      EveryScheduleTest.Interleaved.say(a, order, "a");
      EveryScheduleTest.Interleaved.say(b, order, "b");
      EveryScheduleTest.Interleaved.say(a, order, "c");
      gpu.getDevice(0).synchronize();
      LETTERS.add(String.join("", order));
      if (LETTERS.size() == 3) {
        assertEquals(List.of("abc", "acb", "bac"), LETTERS.stream().sorted().toList());
      }
    }
  }

  @ParameterizedTest
  @MethodSource("versions")
  @DisplayName("a test of every order sees each of them")
  void ordered(String version) {
    List<String> runs = run(version, Ordered.class);
    assertEquals(3, runs.size(), runs::toString);
    assertTrue(
        runs.stream().allMatch(each -> each.matches("seed 1, chosen.*: SUCCESSFUL")),
        runs::toString);
  }

  @SimulatedGpu(seed = 5, schedule = "lazy")
  static class Constructed {
    private final SimDevice device;

    Constructed(SimDevice device) {
      this.device = device;
    }

    @SimulatedTest(seeds = 1, schedules = "starving")
    void runsAsItIsCalled(SimBackend gpu, TestInfo info) {
      assertEquals(gpu, device.getBackend());
      expectNamed(info, gpu);
    }
  }

  @ParameterizedTest
  @MethodSource("versions")
  @DisplayName(
      "a class that takes its device does so, too; before JUnit 5.12, the error has the remedy")
  void constructed(String version) {
    boolean older = version.matches(BEFORE_5_12);
    assertEquals(
        List.of(
            "seed 5, starving: "
                + (older ? "FAILED by ParameterResolutionException" : "SUCCESSFUL")),
        run(version, Constructed.class));
  }

  /** Runs the tests of a class with a version of JUnit; what became of each, by its name. */
  private List<String> run(String version, Class<?> tests) {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    ClassLoader loader = loaders.computeIfAbsent(version, JUnitVersionsTest::load);
    try {
      thread.setContextClassLoader(loader);
      @SuppressWarnings("unchecked") // only types of the JDK are the same in both loaders
      Function<String, List<String>> launched =
          (Function<String, List<String>>)
              loader.loadClass(Launched.class.getName()).getConstructor().newInstance();
      return launched.apply(tests.getName());
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("JUnit " + version, e);
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  private static URLClassLoader load(String version) {
    return new URLClassLoader(classPath(version), null);
  }

  /** The class path of these tests, with another JUnit. */
  private static URL[] classPath(String version) {
    Stream<Path> own =
        Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
            .filter(entry -> !entry.matches(".*\\b(junit|opentest4j|apiguardian)-.*\\.jar"))
            .map(Path::of);
    Path jar = JARS.resolve("junit-platform-console-standalone-" + version + ".jar");
    return Stream.concat(Stream.of(jar), own).map(JUnitVersionsTest::url).toArray(URL[]::new);
  }

  private static URL url(Path path) {
    try {
      return path.toUri().toURL();
    } catch (MalformedURLException e) {
      throw new AssertionError(path.toString(), e);
    }
  }

  /** Runs the tests of a class with the JUnit of its own class loader. */
  public static final class Launched implements Function<String, List<String>> {
    @Override
    public List<String> apply(String tests) {
      List<String> outcomes = new ArrayList<>();
      TestExecutionListener listener =
          new TestExecutionListener() {
            @Override
            public void executionFinished(TestIdentifier test, TestExecutionResult result) {
              if (test.isTest() || result.getThrowable().isPresent()) {
                outcomes.add(
                    test.getDisplayName()
                        + ": "
                        + result.getStatus()
                        + result
                            .getThrowable()
                            .map(thrown -> " by " + thrown.getClass().getSimpleName())
                            .orElse(""));
              }
            }
          };
      LauncherFactory.create()
          .execute(
              LauncherDiscoveryRequestBuilder.request().selectors(selectClass(tests)).build(),
              listener);
      return outcomes;
    }
  }
}
