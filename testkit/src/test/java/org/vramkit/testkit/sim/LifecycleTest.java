package org.vramkit.testkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtensionContext.Store;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimStream;

@DisplayName("Simulated GPUs fit into what JUnit does with tests")
class LifecycleTest {

  @SimulatedGpu(devices = 2)
  static class Outer {
    @Nested
    class Inner {
      @Test
      void inherits(SimBackend backend) {
        assertEquals(2, backend.getDevices().size());
      }

      @Test
      void races(SimDevice device, SimStream a, SimStream b) {
        Programs.race(device, a, b);
      }
    }

    @Nested
    @SimulatedGpu(devices = 3)
    class Other {
      @Test
      void decides(SimBackend backend) {
        assertEquals(3, backend.getDevices().size());
      }
    }
  }

  @Test
  @DisplayName("Nested classes inherit the annotation or have their own")
  void nested() {
    Outcome.of(Outer.class).expect(2, 1).failure(HazardError.class);
  }

  @SimulatedGpu
  static class Parameterized {
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void racesWithTwo(int number, SimDevice device, SimStream a, SimStream b) {
      if (number == 2) {
        Programs.race(device, a, b);
      }
    }

    @RepeatedTest(2)
    void startsAnew(SimBackend backend) {
      assertEquals(0, backend.getTimeNanos());
    }
  }

  @Test
  @DisplayName("Parameterised and repeated tests have a simulator for each invocation")
  void parameterized() {
    Outcome.of(Parameterized.class).expect(3, 1).failure(HazardError.class);
  }

  @SimulatedGpu
  @TestInstance(TestInstance.Lifecycle.PER_CLASS)
  static class PerClass {
    private @Nullable SimBackend prepared;
    private @Nullable SimBackend last;

    @BeforeEach
    void prepare(SimBackend backend) {
      assertNotSame(last, backend);
      prepared = backend;
    }

    @Test
    void first(SimBackend backend) {
      assertSame(prepared, backend);
      last = backend;
    }

    @Test
    void second(SimBackend backend) {
      assertSame(prepared, backend);
      last = backend;
    }
  }

  @Test
  @DisplayName("With one instance for all tests, each test still has its own simulator")
  void perClass() {
    Outcome.of(PerClass.class).expect(2, 0);
  }

  @SimulatedGpu
  static class Dynamic {
    @TestFactory
    List<DynamicTest> share(SimDevice device, SimStream a, SimStream b) {
      return List.of(
          dynamicTest("right", () -> Programs.handOver(device, a, b)),
          dynamicTest("wrong", () -> Programs.race(device, a, b)));
    }
  }

  @Test
  @DisplayName("Dynamic tests share the simulator of their factory, which is judged")
  void dynamic() {
    Outcome outcome = Outcome.of(Dynamic.class).expect(2, 0);
    assertEquals(1, outcome.results().containerEvents().failed().count());
  }

  @SimulatedGpu
  static class Parallel {
    static final Set<SimBackend> SEEN = ConcurrentHashMap.newKeySet();

    @RepeatedTest(20)
    void handsOver(SimBackend backend, SimStream a, SimStream b) {
      SEEN.add(backend);
      Programs.handOver(backend.getDevice(0), a, b);
    }

    @RepeatedTest(20)
    void races(SimBackend backend, SimStream a, SimStream b) {
      SEEN.add(backend);
      Programs.race(backend.getDevice(0), a, b);
    }
  }

  @Test
  @DisplayName("Tests in parallel do not see each other's hazards")
  void parallel() {
    Outcome.of(
            Parallel.class,
            Map.of(
                "junit.jupiter.execution.parallel.enabled", "true",
                "junit.jupiter.execution.parallel.mode.default", "concurrent"))
        .expect(20, 20);
    assertEquals(40, Parallel.SEEN.size());
  }

  @Test
  @SuppressWarnings("deprecation") // from JUnit 5.13 on
  @DisplayName("JUnit up to 5.12, which knows no AutoCloseable, closes them too")
  void closedByOlderJUnit() {
    assertTrue(Store.CloseableResource.class.isAssignableFrom(TestGpu.class));
  }
}
