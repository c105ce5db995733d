package org.vramkit.testkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.vramkit.api.device.Backend;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;
import org.vramkit.api.discovery.Backends;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;

@DisplayName("17.20 Code that opens a backend itself has the simulator of its test, and is judged")
class OpenedBackendTest {

  /** As users' code does: nothing of a test comes in from outside. */
  private static void race() {
    try (Backend backend = Backends.open()) {
      Device device = backend.getDevice(0);
      long block = device.getMemory().allocate(Programs.BYTES);
      try (Stream one = device.createStream();
          Stream other = device.createStream()) {
        one.fill(block, (byte) 1, Programs.BYTES);
        other.fill(block, (byte) 2, Programs.BYTES);
        device.synchronize();
      }
      device.getMemory().free(block);
    }
  }

  @SimulatedGpu(seed = 5)
  static class Racing {
    @Test
    void races() {
      race();
    }

    @Test
    void racesByName() {
      try (Backend backend = Backends.open(SimBackend.NAME)) {
        assertEquals(5, ((SimBackend) backend).getSeed());
      }
      race();
    }
  }

  @Test
  @DisplayName("A race fails the test")
  void judged() {
    Outcome outcome = Outcome.of(Racing.class).expect(0, 2);
    for (Throwable failure : outcome.failures()) {
      String message = assertInstanceOf(HazardError.class, failure).getMessage();
      assertTrue(message.contains("-Dvramkit.seed=5"), message);
    }
  }

  @SimulatedGpu
  static class Leaking {
    @Test
    void forgets() {
      try (Backend backend = Backends.open()) {
        backend.getDevice(0).createStream();
      }
    }
  }

  @Test
  @DisplayName("A leak fails the test, however it closed the backend")
  void leaks() {
    Outcome.of(Leaking.class).expect(0, 1).failure(LeakError.class);
  }

  @SimulatedGpu(devices = 2)
  static class Everywhere {
    private final Backend field = Backends.open();
    @AutoClose private final Backend closed = Backends.open();
    private @Nullable Backend prepared;

    @BeforeEach
    void prepare() {
      prepared = Backends.open();
    }

    @Test
    void isTheSame(SimBackend backend) throws InterruptedException {
      assertSame(backend, field);
      assertSame(backend, closed);
      assertSame(backend, prepared);
      Backend opened = Backends.open();
      assertSame(backend, opened);
      assertEquals(2, opened.getDevices().size());
      opened.close();
      opened.close();
      backend.getDevice(1).createStream().close();
      Backend[] elsewhere = new Backend[1];
      Thread thread = new Thread(() -> elsewhere[0] = Backends.open());
      thread.start();
      thread.join();
      assertSame(backend, elsewhere[0]);
    }

    @Test
    @Timeout(value = 1, unit = TimeUnit.HOURS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void isTheSameOnTheThreadOfATimeout(SimBackend backend) {
      assertSame(backend, Backends.open());
    }

    @AfterEach
    void finish(SimBackend backend) {
      assertSame(backend, Backends.open());
    }
  }

  @Test
  @DisplayName("It is the simulator of the parameters, wherever the test opens it, and stays open")
  void everywhere() {
    Outcome.of(Everywhere.class).expect(2, 0);
  }

  @SimulatedGpu
  static class Dynamic {
    @TestFactory
    List<DynamicTest> share(SimBackend backend) {
      return List.of(dynamicTest("opens", () -> assertSame(backend, Backends.open())));
    }
  }

  @Test
  @DisplayName("Dynamic tests share that of their factory, also those that run side by side")
  void dynamic() {
    Outcome.of(Dynamic.class, PARALLEL).expect(1, 0);
  }

  static class Repeated {
    static final Set<Backend> SEEN = ConcurrentHashMap.newKeySet();

    @SimulatedTest(seeds = 3)
    void opens() {
      SEEN.add(Backends.open());
    }
  }

  @Test
  @DisplayName("Each run of a repeated test has its own")
  void repeated() {
    Outcome.of(Repeated.class).expect(3, 0);
    assertEquals(3, Repeated.SEEN.size());
  }

  private static final Map<String, String> PARALLEL =
      Map.of(
          "junit.jupiter.execution.parallel.enabled", "true",
          "junit.jupiter.execution.parallel.mode.default", "concurrent");

  @SimulatedGpu
  static class Parallel {
    @RepeatedTest(20)
    void opens(SimDevice device) {
      assertSame(device.getBackend(), Backends.open());
    }
  }

  static class Unjudged {
    @RepeatedTest(2)
    void opens() {
      try (Backend one = Backends.open();
          Backend other = Backends.open()) {
        assertNotSame(one, other);
      }
    }
  }

  @Test
  @DisplayName("Tests side by side have their own, and tests without the annotation a new one each")
  void parallel() {
    Outcome.of(Parallel.class, PARALLEL).expect(20, 0);
    Outcome.of(Unjudged.class, PARALLEL).expect(2, 0);
  }

  @Test
  @DisplayName("Outside of tests it has a simulator that warns, inside one whose test fails")
  void warned() {
    try (LoggedNotices logged = new LoggedNotices(SimBackend.class)) {
      Outcome.of(Racing.class).expect(0, 2);
      assertEquals(List.of(), logged.all());
      race();
      assertEquals(1, logged.all().size());
      assertTrue(logged.all().get(0).contains("closed with 1 hazard: RACE_WAW"));
    }
  }

  @SimulatedGpu
  static class Before {
    static final ExecutorService SHARED = Executors.newSingleThreadExecutor();
    static @Nullable Backend before;

    @BeforeAll
    static void openForAll() {
      before = Backends.open();
    }

    @Test
    void first(SimBackend backend) throws Exception {
      assertNotSame(before, backend);
      assertSame(backend, SHARED.submit(() -> Backends.open()).get());
    }
  }

  @Test
  @DisplayName(
      "A backend opened for the whole class, or by a thread that outlives the test, is not the"
          + " test's")
  void outside() throws Exception {
    try {
      Outcome.of(Before.class).expect(1, 0);
      try (Backend later = Before.SHARED.submit(() -> Backends.open()).get();
          Backend before = Before.before) {
        later.getDevice(0).synchronize();
        assertNotSame(before, later);
      }
    } finally {
      Before.SHARED.shutdown();
      assertTrue(Before.SHARED.awaitTermination(1, TimeUnit.HOURS));
    }
  }
}
