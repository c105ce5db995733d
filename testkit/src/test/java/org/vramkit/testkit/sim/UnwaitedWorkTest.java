package org.vramkit.testkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.driver.FaultPlan;
import org.vramkit.sim.driver.WorkSelector;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.hazard.HazardReport;

@DisplayName("Work that a test does not wait for is checked nevertheless")
class UnwaitedWorkTest {
  private static void fails(SimStream stream, String why) {
    stream.callHost(
        why,
        () -> {
          throw new IllegalArgumentException(why);
        });
  }

  static class Throwing {
    @SimulatedTest(
        seeds = 1,
        schedules = {"timed", "eager", "lazy", "reverse", "random", "starving"})
    void hostFunctionFails(SimStream stream) {
      fails(stream, "lost");
    }
  }

  @Test
  @DisplayName("an exception of a host function fails the test, once, under every schedule")
  void thrown() {
    for (Throwable failure : Outcome.of(Throwing.class).expect(0, 6).failures()) {
      assertTrue(failure instanceof WorkError, failure::toString);
      assertTrue(failure.getCause() instanceof IllegalArgumentException, failure::toString);
      assertEquals(0, failure.getSuppressed().length);
      assertTrue(String.valueOf(failure.getMessage()).contains("-Dvramkit.seed=1"));
    }
  }

  @SimulatedGpu(schedule = "lazy")
  static class ThrowingBody {
    @Test
    void bodyFails(SimStream stream) {
      stream.launch(
          SimKernel.named("wrong").body(bytes -> Assertions.fail("not the bytes")).build());
    }
  }

  @Test
  @DisplayName("an assertion in a kernel's body fails it")
  void body() {
    WorkError error = Outcome.of(ThrowingBody.class).expect(0, 1).failure(WorkError.class);
    assertTrue(error.getCause() instanceof AssertionError);
  }

  static class Handling {
    @SimulatedTest(
        seeds = 1,
        schedules = {"timed", "eager", "lazy"})
    void waitThrows(SimStream stream) {
      fails(stream, "expected");
      assertThrows(IllegalArgumentException.class, stream::synchronize);
    }
  }

  @Test
  @DisplayName("an exception that a wait has thrown is not thrown again")
  void once() {
    Outcome.of(Handling.class).expect(3, 0);
  }

  @SimulatedGpu
  static class FailingItself {
    @Test
    void failsFirst(SimStream stream) {
      fails(stream, "later");
      throw new AssertionError("its own");
    }
  }

  @Test
  @DisplayName("beside a failure of the test it is suppressed")
  void beside() {
    AssertionError error =
        Outcome.of(FailingItself.class).expect(0, 1).failure(AssertionError.class);
    assertEquals("its own", error.getMessage());
    assertTrue(
        List.of(error.getSuppressed()).stream().anyMatch(WorkError.class::isInstance),
        () -> List.of(error.getSuppressed()).toString());
  }

  static class Writing {
    @SimulatedTest(
        seeds = 1,
        schedules = {"timed", "eager", "lazy", "reverse", "random", "starving"})
    void writesUnderCopy(SimDevice device, SimStream stream) {
      long block = device.getMemory().allocate(Programs.BYTES);
      PinnedBuffer buffer = device.getPinnedMemory().allocate(Programs.BYTES);
      stream.copyToDevice(block, buffer, 0, Programs.BYTES);
      buffer.getBytes(0, 1).put(0, (byte) 1);
    }

    @SimulatedTest(
        seeds = 1,
        schedules = {"timed", "eager", "lazy", "reverse", "random", "starving"})
    void callsTheDriver(SimDevice device, SimStream stream) {
      stream.callHost("careless", device::createEvent);
    }
  }

  @Test
  @DisplayName("hazards that show only when it runs are found, under every schedule")
  void hazards() {
    List<HazardCode> found =
        Outcome.of(Writing.class).expect(0, 12).failures().stream()
            .map(HazardError.class::cast)
            .flatMap(error -> error.getReports().stream())
            .map(HazardReport::code)
            .sorted()
            .toList();
    assertEquals(6, found.stream().filter(HazardCode.HOST_RACE::equals).count(), found::toString);
    assertEquals(
        6, found.stream().filter(HazardCode.NOT_PERMITTED::equals).count(), found::toString);
  }

  @SimulatedGpu(schedule = "lazy")
  static class Expecting {
    @Test
    @ExpectHazard(HazardCode.NOT_PERMITTED)
    void callsTheDriver(SimDevice device, SimStream stream) {
      stream.callHost("careless", device::createEvent);
    }
  }

  @Test
  @DisplayName("a test about a forbidden call is not failed by its refusal")
  void expected() {
    Outcome.of(Expecting.class).expect(1, 0);
  }

  @SimulatedGpu
  static class Hanging {
    @Test
    void hangs(SimBackend backend, SimStream a, SimStream b) {
      backend.getFaults().inject(FaultPlan.NONE.hang(WorkSelector.ofStream(a)));
      a.launch(SimKernel.named("endless").build());
      b.waitFor(backend.createGate("shut"));
      fails(a, "never");
    }

    @Test
    void hangsAndFails(SimBackend backend, SimStream a, SimStream b) {
      hangs(backend, a, b);
      backend.getDevice(0).createEvent();
    }
  }

  @Test
  @DisplayName("work that hangs by plan or is held does not hang the test, which reports it")
  void held() {
    Outcome outcome = Outcome.of(Hanging.class).expect(1, 1);
    String message = outcome.failure(LeakError.class).getMessage();
    assertTrue(
        message.contains("did not run: gate shut, which was never opened; ")
            && message.contains("kernel endless")
            && message.contains("which hangs"),
        message);
    assertEquals(
        4,
        outcome.tests().reportingEntryPublished().stream()
            .filter(event -> event.toString().contains(Verdict.UNFINISHED))
            .count());
  }
}
