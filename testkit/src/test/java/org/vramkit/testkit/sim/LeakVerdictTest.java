package org.vramkit.testkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimEvent;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.hazard.LeakKind;

@DisplayName("A test on simulated GPUs is judged by what it leaves held")
class LeakVerdictTest {

  @SimulatedGpu(seed = 3)
  static class Leaking {
    @Test
    void forgets(SimDevice device) {
      long unused = device.getMemory().allocate(Programs.BYTES);
      assertTrue(unused != 0);
      device.createStream();
    }
  }

  @Test
  @DisplayName("Memory and streams left behind fail it, with counts and where they were made")
  void leak() {
    LeakError error = Outcome.of(Leaking.class).expect(0, 1).failure(LeakError.class);
    assertEquals(LeakKind.ALLOCATION, error.getLeaks().get(0).kind());
    String message = error.getMessage();
    assertTrue(message.contains("1 x allocation (4.00 KiB), 1 x stream"), message);
    assertTrue(message.contains("at " + Leaking.class.getName() + ".forgets"), message);
    assertTrue(message.contains("-Dvramkit.seed=3"), message);
  }

  @SimulatedGpu(leaks = LeakPolicy.ALLOW)
  static class Allowed {
    @Test
    void keeps(SimDevice device) {
      device.createStream();
    }
  }

  @Test
  @DisplayName("A test with allowed leaks passes")
  void allowed() {
    Outcome.of(Allowed.class).expect(1, 0);
  }

  @SimulatedGpu
  static class ClosingLate {
    @AutoClose SimEvent field;
    private final SimStream held;

    ClosingLate(SimDevice device) {
      field = device.createEvent();
      held = device.createStream();
    }

    @BeforeEach
    void prepare(SimStream stream) {
      field.record(stream);
    }

    @Test
    void waits(SimStream stream) {
      stream.waitFor(field);
    }

    @AfterEach
    void release() {
      held.close();
    }
  }

  @Test
  @DisplayName("Resources that @AfterEach and @AutoClose release are not leaked")
  void late() {
    Outcome.of(ClosingLate.class).expect(1, 0);
  }

  @SimulatedGpu
  static class FailingHalfWay {
    @Test
    void stopsBeforeItsCleanup(SimDevice device) {
      device.createStream();
      fail("its own");
    }
  }

  @Test
  @DisplayName("A test that failed half-way is not blamed for leaks, and tells what repeats it")
  void halfWay() {
    AssertionError error =
        Outcome.of(FailingHalfWay.class).expect(0, 1).failure(AssertionError.class);
    assertEquals("its own", error.getMessage());
    assertEquals(1, error.getSuppressed().length);
    String note = String.valueOf(error.getSuppressed()[0].getMessage());
    assertTrue(note.contains("repeat with -Dvramkit.seed=1 -Dvramkit.schedule=timed"), note);
  }

  @SimulatedGpu
  static class RacyAndLeaking {
    @Test
    void both(SimDevice device, SimStream a, SimStream b) {
      Programs.race(device, a, b);
      device.createStream();
    }
  }

  @Test
  @DisplayName("Hazards come first, leaks are suppressed by them")
  void both() {
    HazardError error = Outcome.of(RacyAndLeaking.class).expect(0, 1).failure(HazardError.class);
    assertTrue(error.getSuppressed()[0] instanceof LeakError);
  }
}
