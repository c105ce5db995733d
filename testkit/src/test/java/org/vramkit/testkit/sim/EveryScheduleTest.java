package org.vramkit.testkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;

@DisplayName("A test run in every order")
class EveryScheduleTest {

  static class Interleaved {
    static final Set<String> ORDERS = new TreeSet<>();

    @EverySchedule
    void letters(SimDevice device, SimStream a, SimStream b) {
      List<String> order = new ArrayList<>();
      say(a, order, "a");
      say(b, order, "b");
      say(a, order, "c");
      device.synchronize();
      ORDERS.add(String.join("", order));
    }

    static void say(SimStream stream, List<String> order, String letter) {
      stream.launch(SimKernel.named(letter).body(bytes -> order.add(letter)).build());
    }
  }

  @Test
  @DisplayName("sees each of them, and ends")
  void all() {
    Outcome outcome = Outcome.of(Interleaved.class);
    assertEquals(Set.of("abc", "acb", "bac"), Interleaved.ORDERS);
    assertEquals(0, outcome.tests().failed().count());
    assertEquals(0, outcome.results().allEvents().reportingEntryPublished().count());
  }

  static class FailingInOneOrder {
    @EverySchedule
    void failsWhenTheLastIsFirst(SimDevice device, SimStream a, SimStream b) {
      List<String> order = new ArrayList<>();
      Interleaved.say(a, order, "a");
      Interleaved.say(b, order, "b");
      device.synchronize();
      if (order.get(0).equals("b")) {
        fail("b came first");
      }
    }
  }

  @Test
  @DisplayName("ends with the first that fails, whose schedule repeats it")
  void firstFailure() {
    Outcome outcome = Outcome.of(FailingInOneOrder.class);
    AssertionError error = outcome.failure(AssertionError.class);
    assertEquals(1, outcome.tests().failed().count());
    String repetition = String.valueOf(error.getSuppressed()[0].getMessage());
    assertTrue(repetition.contains("-Dvramkit.schedule=chosen:"), repetition);
    String schedule = repetition.lines().findFirst().orElseThrow().replaceAll(".*schedule=", "");
    Outcome repeated =
        Outcome.of(FailingInOneOrder.class, Map.of("vramkit.schedule", schedule)).expect(0, 1);
    assertEquals(List.of("seed 1, " + schedule), repeated.names());
  }

  static class Large {
    @EverySchedule(limit = 5)
    void manyOrders(SimDevice device, SimStream a, SimStream b, SimStream c) {
      for (int i = 0; i < 5; i++) {
        for (SimStream stream : List.of(a, b, c)) {
          Interleaved.say(stream, new ArrayList<>(), "x");
        }
      }
      device.synchronize();
    }
  }

  @Test
  @DisplayName("stops at its limit and says that it is not complete, in parallel as well")
  void limit() {
    Outcome outcome =
        Outcome.of(
                Large.class,
                Map.of(
                    "junit.jupiter.execution.parallel.enabled", "true",
                    "junit.jupiter.execution.parallel.mode.default", "concurrent"))
            .expect(5, 0);
    assertEquals(1, outcome.results().containerEvents().reportingEntryPublished().count());
  }

  static class Changing {
    private static int runs;

    @EverySchedule
    void doesLessTheSecondTime(SimDevice device, SimStream a, SimStream b) {
      if (runs++ == 0) {
        Interleaved.say(a, new ArrayList<>(), "x");
        Interleaved.say(b, new ArrayList<>(), "y");
      }
      device.synchronize();
    }
  }

  @Test
  @DisplayName("refuses a test that is not the same each time, as threads side by side make it")
  void changing() {
    Outcome outcome = Outcome.of(Changing.class).expect(2, 0);
    String message =
        outcome.results().containerEvents().failed().stream()
            .map(failed -> String.valueOf(Outcome.throwable(failed).getMessage()))
            .findFirst()
            .orElseThrow();
    assertTrue(message.startsWith("@EverySchedule needs a test that behaves the same"), message);
    assertTrue(message.contains("make its threads take turns"), message);
  }

  static class WithoutGpu {
    @EverySchedule
    void needsNone() {}
  }

  @Test
  @DisplayName("has one order where it needs no GPU")
  void withoutGpu() {
    Outcome.of(WithoutGpu.class).expect(1, 0);
  }
}
