package org.vramkit.api.discovery;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.ServiceConfigurationError;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.error.BackendNotAvailableException;
import org.vramkit.api.error.FatalDeviceException;
import org.vramkit.api.spi.BackendProvider;

@DisplayName("The choice of a backend")
class BackendSelectorTest {
  private final List<String> log = new ArrayList<>();

  private BackendSelector selector(BackendProvider... providers) {
    Iterator<BackendProvider> source = Arrays.asList(providers).iterator();
    return new BackendSelector(
        BackendScan.ofIterators(List.of(source)), (level, line) -> log.add(level + " " + line));
  }

  private static String messageOf(BackendSelector selector, @Nullable ForcedName forced) {
    BackendNotAvailableException error =
        assertThrows(BackendNotAvailableException.class, () -> selector.open(forced));
    return String.valueOf(error.getMessage());
  }

  private static void assertTells(String text, String... parts) {
    for (String part : parts) {
      assertTrue(text.contains(part), () -> "'" + part + "' in: " + text);
    }
  }

  @Test
  @DisplayName("takes the only one there is and says nothing")
  void onlyOne() {
    assertEquals("real", selector(new FakeProvider("real", 10)).open(null).getName());
    assertEquals(List.of(), log);
  }

  @Test
  @DisplayName("VRK-B001 none on the class path: says so and what to add")
  void nonePresent() {
    assertTells(messageOf(selector(), null), "VRK-B001", "class path", "vramkit-backend-sim");
    assertTells(
        messageOf(selector(), ForcedName.ofCall("ffm")),
        "VRK-B001",
        "'ffm'",
        "add org.vramkit:vramkit-backend-ffm (JDK 22 or newer)");
  }

  @Test
  @DisplayName("VRK-B002 none available: gives the reason of each")
  void noneAvailable() {
    BackendSelector selector =
        selector(
            new FakeProvider("first", 20).unavailable("no libcuda.so.1"),
            new FakeProvider("second", 10).unavailable("driver too old"));
    assertTells(
        messageOf(selector, null), "VRK-B002", "first: no libcuda.so.1", "second: driver too old");
  }

  @Test
  @DisplayName("VRK-B003 several available: the highest priority wins, in one INFO line")
  void several() {
    BackendSelector selector =
        selector(
            new FakeProvider("low", 10),
            new FakeProvider("high", 20),
            new FakeProvider("broken", 30).unavailable("no GPU"));
    assertEquals("high", selector.open(null).getName());
    assertEquals(1, log.size());
    assertTells(
        log.get(0),
        "INFO VRK-B003",
        "'high' was chosen for its priority 20",
        "low (10)",
        Backends.PROPERTY,
        Backends.ENVIRONMENT);
  }

  @Test
  @DisplayName("takes the first by name among equal priorities, whatever order they come in")
  void equalPriorities() {
    FakeProvider a = new FakeProvider("a", 10);
    FakeProvider b = new FakeProvider("b", 10);
    assertEquals("a", selector(a, b).open(null).getName());
    assertEquals("a", selector(b, a).open(null).getName());
  }

  @Test
  @DisplayName("VRK-B004 an unknown name: who asked for it and what is present")
  void unknownName() {
    BackendSelector selector = selector(new FakeProvider("one", 1), new FakeProvider("two", 2));
    assertTells(
        messageOf(selector, new ForcedName("tow", "the system property x")),
        BackendDiagnostic.UNKNOWN_NAME.getCode(),
        "'tow'",
        "the system property x",
        "two, one",
        "correct the name or add the backend");
  }

  @Test
  @DisplayName("VRK-B004 the name of a backend of this project that is absent: what to add")
  void absentBackend() {
    BackendSelector selector = selector(new FakeProvider("sim", 0));
    for (String name : List.of("ffm", "javacpp", "jcuda")) {
      assertTells(
          messageOf(selector, ForcedName.ofCall(name)),
          "VRK-B004",
          "present: sim; add org.vramkit:vramkit-backend-" + name);
    }
    assertTells(messageOf(selector, ForcedName.ofCall("ffm")), "(JDK 22 or newer)");
    assertTells(
        messageOf(selector, ForcedName.ofCall("cuda")),
        "vramkit-backend-ffm",
        "vramkit-backend-javacpp",
        "vramkit-backend-jcuda");
  }

  @Test
  @DisplayName("VRK-B005 a name that is not available is an error, and nothing takes its place")
  void forcedNotAvailable() {
    BackendSelector selector =
        selector(new FakeProvider("gpu", 20).unavailable("no GPU"), new FakeProvider("sim", 0));
    assertTells(messageOf(selector, ForcedName.ofCall("gpu")), "VRK-B005", "'gpu'", "no GPU");
    assertEquals(List.of(), log);
  }

  @Test
  @DisplayName("42.18 VRK-B006 two backends of one name: both classes with their jars and loaders")
  void duplicates() {
    BackendSelector selector = selector(new FakeProvider("x", 1), new FakeProvider("x", 2) {});
    assertTells(messageOf(selector, null), "VRK-B006", "'x'", "discovery.FakeProvider", "$1");
    String place =
        FakeProvider.class.getProtectionDomain().getCodeSource().getLocation().toString();
    String loader = "class loader " + FakeProvider.class.getClassLoader();
    assertTells(messageOf(selector, null), place, loader);
    assertTells(messageOf(selector, ForcedName.ofCall("x")), "VRK-B006");
  }

  @Test
  @DisplayName("VRK-B007 the simulator is never a silent fallback")
  void simulatorWarns() {
    FakeProvider sim = new FakeProvider("sim", BackendProvider.SIMULATOR_PRIORITY);
    selector(new FakeProvider("gpu", 20).unavailable("no GPU"), sim).open(null);
    assertEquals(1, log.size());
    assertTells(log.get(0), "WARNING VRK-B007", "'sim'", "gpu: no GPU");
    log.clear();
    selector(sim).open(null);
    assertTells(log.get(0), "WARNING VRK-B007", "none is on the class path; to use a GPU, add org");
    log.clear();
    selector(sim).open(ForcedName.ofCall("sim"));
    assertEquals(1, log.size());
    assertTells(log.get(0), "INFO VRK-B007", "Backends.open");
  }

  @Test
  @DisplayName("VRK-B008 a backend that fails to open is skipped with a warning")
  void openFails() {
    LinkageError broken = new NoClassDefFoundError("org/example/Native");
    BackendSelector selector =
        selector(
            new FakeProvider("half", 20)
                .opening(
                    () -> {
                      throw broken;
                    }),
            new FakeProvider("whole", 10));
    assertEquals("whole", selector.open(null).getName());
    assertTells(log.get(0), "WARNING VRK-B008", "'half'", "org/example/Native");
    BackendNotAvailableException error =
        assertThrows(
            BackendNotAvailableException.class, () -> selector.open(ForcedName.ofCall("half")));
    assertTells(String.valueOf(error.getMessage()), "VRK-B005", "org/example/Native");
    assertSame(broken, error.getCause());
  }

  @Test
  @DisplayName("VRK-B002 keeps the first load error when none opens")
  void noneOpens() {
    LinkageError broken = new UnsatisfiedLinkError("libfirst.so");
    BackendSelector selector =
        selector(
            new FakeProvider("only", 20)
                .opening(
                    () -> {
                      throw broken;
                    }));
    BackendNotAvailableException error =
        assertThrows(BackendNotAvailableException.class, () -> selector.open(null));
    assertTells(String.valueOf(error.getMessage()), "VRK-B002", "only: UnsatisfiedLinkError");
    assertSame(broken, error.getCause());
  }

  @Test
  @DisplayName("17.22 errors of unequal versions say so, and do not advise to add what failed")
  void unequalVersions() {
    for (LinkageError unequal :
        List.of(
            new NoClassDefFoundError("org/vramkit/api/units/Count"),
            new NoSuchMethodError("'void org.vramkit.api.device.Device.reset()'"),
            new AbstractMethodError("... of interface org.vramkit.api.device.Device."),
            new ExceptionInInitializerError(new NoSuchFieldError("org.vramkit.api.X y")))) {
      BackendSelector selector =
          selector(
              new FakeProvider("sim", BackendProvider.SIMULATOR_PRIORITY)
                  .opening(
                      () -> {
                        throw unequal;
                      }));
      String message = messageOf(selector, null);
      assertTells(message, "VRK-B002", "unequal versions", "vramkit-bom");
      assertTrue(!message.contains("add one"), message);
      assertTells(messageOf(selector, ForcedName.ofCall("sim")), "VRK-B005", "unequal versions");
    }
  }

  @Test
  @DisplayName("17.22 a provider that fails to load is no reason to add one")
  void noneLoads() {
    Iterator<BackendProvider> failing =
        new Iterator<>() {
          private boolean failed;

          @Override
          public boolean hasNext() {
            return !failed;
          }

          @Override
          public BackendProvider next() {
            failed = true;
            throw new ServiceConfigurationError(
                "Provider org.vramkit.sim.SimBackendProvider could not be instantiated",
                new NoClassDefFoundError("org/vramkit/api/spi/Gone"));
          }
        };
    BackendSelector selector =
        new BackendSelector(
            BackendScan.ofIterators(List.of(failing)), (level, line) -> log.add(line));
    String best = messageOf(selector, null);
    assertTells(best, "VRK-B002", "SimBackendProvider", "unequal versions", "remedy");
    assertTrue(!best.contains("add one"), best);
    String forced = messageOf(selector, ForcedName.ofCall("sim"));
    assertTells(forced, "VRK-B004", "'sim'", "present: none", "SimBackendProvider", "remedy");
    assertTrue(!forced.contains("add the backend"), forced);
  }

  @Test
  @DisplayName("17.22 errors that tell of something else do not speak of versions")
  void otherLinkageErrors() {
    for (LinkageError other :
        List.of(
            new UnsatisfiedLinkError("no jnicudart in java.library.path"),
            new NoClassDefFoundError("jcuda/driver/JCudaDriver"),
            new NoClassDefFoundError("Could not initialize class org.vramkit.javacpp.Calls"),
            new NoSuchMethodError("'void org.bytedeco.cuda.cudart.x()'"))) {
      BackendSelector selector =
          selector(
              new FakeProvider("gpu", 20)
                  .opening(
                      () -> {
                        throw other;
                      }));
      String message = messageOf(selector, null);
      assertTrue(!message.contains("versions"), message);
      assertTells(message, "add one");
    }
  }

  @Test
  @DisplayName("does not pass over a backend whose device is lost")
  void otherErrorsPass() {
    BackendSelector selector =
        selector(
            new FakeProvider("lost", 20)
                .opening(
                    () -> {
                      throw new FatalDeviceException("CUDA is lost");
                    }),
            new FakeProvider("sim", 0));
    assertThrows(FatalDeviceException.class, () -> selector.open(null));
  }

  @Test
  @DisplayName("counts a probe that throws as not available, with the deepest cause")
  void probeThrows() {
    FakeProvider broken =
        new FakeProvider("broken", 20)
            .probing(
                () -> {
                  throw new ExceptionInInitializerError(
                      new UnsatisfiedLinkError("no libcudart.so.13"));
                });
    assertEquals("sim", selector(broken, new FakeProvider("sim", 0)).open(null).getName());
    assertTells(log.get(0), "broken: ExceptionInInitializerError", "no libcudart.so.13");
  }

  @Test
  @DisplayName("lists all by priority with their reasons, opening none")
  void lists() {
    FakeProvider neverOpened =
        new FakeProvider("low", 1)
            .opening(
                () -> {
                  throw new AssertionError("opened");
                });
    assertEquals(
        List.of(
            new BackendDescription("high", 2, false, "no GPU"),
            new BackendDescription("low", 1, true, "made for tests")),
        selector(neverOpened, new FakeProvider("high", 2).unavailable("no GPU")).list());
  }

  @Test
  @DisplayName("reads the property before the environment, and skips blank ones")
  void forcedNames() {
    assertEquals(
        new ForcedName("gpu", "the system property " + Backends.PROPERTY),
        ForcedName.find(" gpu ", "sim"));
    assertEquals(
        new ForcedName("sim", "the environment variable " + Backends.ENVIRONMENT),
        ForcedName.find(" ", " sim "));
    assertEquals(null, ForcedName.find(" ", null));
  }
}
