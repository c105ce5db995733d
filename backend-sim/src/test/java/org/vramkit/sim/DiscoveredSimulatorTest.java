package org.vramkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.device.Backend;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;
import org.vramkit.api.discovery.BackendDescription;
import org.vramkit.api.discovery.Backends;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.spi.BackendProvider;
import org.vramkit.sim.SimBackendProvider.HazardWarning;

@DisplayName("17.20 A simulator that a program finds on the class path")
class DiscoveredSimulatorTest {

  private static void race(Backend backend) {
    Device device = backend.getDevice(0);
    long block = device.getMemory().allocate(512);
    try (Stream one = device.createStream();
        Stream other = device.createStream()) {
      one.fill(block, (byte) 1, 512);
      other.fill(block, (byte) 2, 512);
      assertThrows(InvalidArgumentException.class, () -> other.fill(block + 1, (byte) 2, 512));
    }
  }

  private static SimBackend telling(List<String> warnings) {
    return SimBackend.builder().onClose(new HazardWarning(warnings::add)).build();
  }

  @Test
  @DisplayName("warns with the first hazard when it is closed, once")
  void warns() {
    List<String> warnings = new ArrayList<>();
    SimBackend backend = telling(warnings);
    race(backend);
    assertEquals(List.of(), warnings);
    backend.close();
    backend.close();
    assertEquals(1, warnings.size());
    String warning = warnings.get(0);
    assertTrue(warning.contains("closed with 2 hazards, the first of them: RACE_WAW"), warning);
    assertTrue(warning.contains("docs/simulator.md#race_waw"), warning);
    assertTrue(warning.contains("@SimulatedGpu"), warning);
  }

  @Test
  @DisplayName("42.27 warns with what was left open when it is closed, once")
  void leaks() {
    List<String> warnings = new ArrayList<>();
    SimBackend backend = telling(warnings);
    Stream left = backend.getDevice(0).createStream("copies");
    backend.getDevice(0).getMemory().allocate(512);
    backend.close();
    backend.close();
    left.close();
    assertEquals(1, warnings.size());
    String warning = warnings.get(0);
    assertTrue(warning.contains("left behind: 1 x allocation (512 B), 1 x stream"), warning);
    assertTrue(warning.contains("LEAK: stream copies, 0x"), warning);
    assertTrue(warning.contains("docs/simulator.md#leak"), warning);
  }

  @Test
  @DisplayName("says nothing where nothing is wrong")
  void silent() {
    List<String> warnings = new ArrayList<>();
    try (SimBackend backend = telling(warnings)) {
      backend.getDevice(0).synchronize();
    }
    assertEquals(List.of(), warnings);
  }

  @Test
  @DisplayName("is the simulator of the thread's scope, if there is one, and stays open")
  @SuppressWarnings("try") // scopes are held, not used
  void scope() {
    try (SimBackend owned = SimBackend.builder().build()) {
      try (SimScope scope = SimScope.of(() -> owned)) {
        try (SimScope.Entry entry = scope.enter()) {
          Backend opened = Backends.open();
          assertSame(owned, opened);
          race(opened);
          opened.close();
          opened.close();
          opened.getDevice(0).synchronize();
          BackendDescription first = Backends.list().get(0);
          assertEquals(SimBackend.NAME, first.name());
          assertTrue(first.priority() > BackendProvider.SIMULATOR_PRIORITY, first.toString());
        }
        try (Backend outside = Backends.open(SimBackend.NAME)) {
          assertNotSame(owned, outside);
        }
      }
      owned.close();
      assertThrows(ClosedException.class, owned.getDevice(0)::createStream);
    }
  }

  @Test
  @DisplayName(
      "is the simulator of the inner scope, then of the outer one, also for threads that outlive"
          + " a scope")
  @SuppressWarnings("try") // scopes are held, not used
  void nested() throws Exception {
    try (SimBackend one = SimBackend.builder().build();
        SimBackend other = SimBackend.builder().build()) {
      try (SimScope outer = SimScope.of(() -> one);
          SimScope.Entry inOuter = outer.enter()) {
        FutureTask<Backend> later = new FutureTask<>(Backends::open);
        try (SimScope inner = SimScope.of(() -> other);
            SimScope.Entry inInner = inner.enter()) {
          assertSame(other, Backends.open());
          new Thread(() -> sleepUntilClosed(inner, later)).start();
        }
        assertSame(one, Backends.open());
        assertSame(one, later.get());
      }
    }
  }

  private static void sleepUntilClosed(SimScope scope, Runnable then) {
    while (!scope.isClosed()) {
      Thread.onSpinWait();
    }
    then.run();
  }
}
