package org.vramkit.testkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimEvent;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.driver.CallSelector;
import org.vramkit.sim.driver.Fault;
import org.vramkit.sim.driver.FaultPlan;

@DisplayName("A test that passes reports")
class NoticesTest {

  static class Warned {
    @SimulatedTest(seeds = 3)
    void waitsForNothing(SimDevice device, SimStream stream) {
      try (SimEvent event = device.createEvent()) {
        stream.waitFor(event);
      }
    }
  }

  @Test
  @DisplayName("of a warning, with its report: in an entry of each run, and once in the log")
  void warning() {
    try (LoggedNotices log = new LoggedNotices()) {
      Outcome outcome = Outcome.of(Warned.class).expect(3, 0);
      assertEquals(3, outcome.tests().reportingEntryPublished().count());
      List<String> lines = log.of(Warned.class);
      assertEquals(1, lines.size(), lines::toString);
      assertTrue(
          lines.get(0).startsWith("Warned.waitsForNothing: WAIT_ON_UNRECORDED_EVENT: "),
          lines.get(0));
      assertTrue(lines.get(0).contains("NoticesTest.java:"), lines.get(0));
    }
  }

  @SimulatedGpu
  static class Planned {
    static final FaultPlan PLAN =
        FaultPlan.NONE
            .fail(CallSelector.of("cuMemAlloc").withNth(1), Fault.OUT_OF_MEMORY)
            .fail(CallSelector.of("cuMemAlloc").withNth(3), Fault.OUT_OF_MEMORY);

    @Test
    void allocatesTwice(SimDevice device) {
      device.getBackend().getFaults().inject(PLAN);
      assertThrows(DeviceOutOfMemoryException.class, () -> device.getMemory().allocate(1));
      device.getMemory().free(device.getMemory().allocate(1));
    }
  }

  @Test
  @DisplayName("of a rule of a fault plan that never did anything, and what was called instead")
  void unusedFault() {
    try (LoggedNotices log = new LoggedNotices()) {
      Outcome.of(Planned.class).expect(1, 0);
      List<String> lines = log.of(Planned.class);
      assertEquals(1, lines.size(), lines::toString);
      assertTrue(lines.get(0).contains("cuMemAlloc, its call 3"), lines.get(0));
      assertTrue(lines.get(0).contains("cuMemAlloc=2"), lines.get(0));
    }
  }

  static class Endless {
    @EverySchedule(limit = 2)
    void stopsEarly(SimDevice device, SimStream a, SimStream b) {
      queue(a, b);
      device.synchronize();
    }

    @EverySchedule(limit = 2, complete = true)
    void mustBeComplete(SimDevice device, SimStream a, SimStream b) {
      queue(a, b);
      device.synchronize();
    }

    private static void queue(SimStream... streams) {
      for (SimStream stream : streams) {
        EveryScheduleTest.Interleaved.say(stream, new ArrayList<>(), "x");
        EveryScheduleTest.Interleaved.say(stream, new ArrayList<>(), "y");
      }
    }
  }

  @Test
  @DisplayName("that not all orders were tried; where all are demanded it fails")
  void incomplete() {
    try (LoggedNotices log = new LoggedNotices()) {
      Outcome outcome = Outcome.of(Endless.class).expect(4, 0);
      List<String> lines = log.of(Endless.class);
      assertEquals(1, lines.size(), lines::toString);
      assertTrue(lines.get(0).startsWith("Endless.stopsEarly: tried 2 orders"), lines.get(0));
      List<String> failures =
          outcome.results().containerEvents().failed().stream()
              .map(failed -> String.valueOf(Outcome.throwable(failed).getMessage()))
              .toList();
      assertEquals(1, failures.size(), failures::toString);
      assertTrue(failures.get(0).startsWith("tried 2 orders"), failures::toString);
    }
  }
}
