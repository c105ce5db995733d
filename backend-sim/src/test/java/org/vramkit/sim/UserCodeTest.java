package org.vramkit.sim;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.vramkit.api.error.DriverException;
import org.vramkit.api.error.FatalDeviceException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.sim.driver.CostModel;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.schedule.Schedule;

@DisplayName("Code of the user in stream order: kernels, host functions, gates")
class UserCodeTest {

  static List<Schedule> schedules() {
    return Schedule.all();
  }

  private static SimBackend backend(Schedule schedule) {
    return SimBackend.builder()
        .device(DeviceProfile.SMALL_8GIB)
        .costModel(CostModel.FREE)
        .schedule(schedule)
        .patience(Duration.ofMillis(100))
        .build();
  }

  private static List<HazardCode> codes(SimBackend gpu) {
    return gpu.getHazards().stream().map(report -> report.code()).toList();
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("A host function runs after the work before it and before the work after it")
  void hostFunction(Schedule schedule) {
    try (SimBackend gpu = backend(schedule)) {
      SimStream stream = gpu.getDevice(0).createStream();
      List<String> order = new ArrayList<>();
      stream.callHost("first", () -> order.add("first"));
      stream.launch(SimKernel.named("middle").taking(10).body(b -> order.add("middle")).build());
      stream.callHost("last", () -> order.add("last"));
      stream.synchronize();
      assertEquals(List.of("first", "middle", "last"), order);
    }
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("A host function that calls the driver is reported, and the call refused")
  void hostFunctionCallsDriver(Schedule schedule) {
    try (SimBackend gpu = backend(schedule)) {
      SimDevice device = gpu.getDevice(0);
      SimStream stream = device.createStream();
      stream.callHost("careless", () -> device.getMemory().allocate(512));
      DriverException refused = assertThrows(DriverException.class, stream::synchronize);
      assertEquals(800, refused.getStatus().code());
      assertEquals(List.of(HazardCode.NOT_PERMITTED), codes(gpu));
      assertDoesNotThrow(stream::synchronize);
    }
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("The next wait throws the exception of a kernel's body, once; later work runs")
  void failingBody(Schedule schedule) {
    try (SimBackend gpu = backend(schedule)) {
      SimStream stream = gpu.getDevice(0).createStream();
      List<String> ran = new ArrayList<>();
      stream.launch(
          SimKernel.named("wrong")
              .body(
                  bytes -> {
                    throw new AssertionError("two is not three");
                  })
              .build());
      stream.callHost("after", () -> ran.add("after"));
      AssertionError thrown = assertThrows(AssertionError.class, stream::synchronize);
      assertEquals("two is not three", thrown.getMessage());
      stream.synchronize();
      assertEquals(List.of("after"), ran);
    }
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("Exceptions of work without a wait are thrown by the close, once, all of them")
  void failingUnwaited(Schedule schedule) {
    SimBackend gpu = backend(schedule);
    SimStream stream = gpu.getDevice(0).createStream();
    for (String why : List.of("first", "second")) {
      stream.callHost(
          why,
          () -> {
            throw new IllegalStateException(why);
          });
    }
    IllegalStateException thrown = assertThrows(IllegalStateException.class, gpu::close);
    assertEquals("first", thrown.getMessage());
    assertEquals("second", thrown.getSuppressed()[0].getMessage());
    assertDoesNotThrow(gpu::close);
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName(
      "The close runs work without a wait, and does not wait for work that a" + " gate holds")
  void unwaited(Schedule schedule) {
    List<String> ran = new ArrayList<>();
    SimBackend gpu = backend(schedule);
    SimStream held = gpu.getDevice(0).createStream();
    held.callHost("before", () -> ran.add("before"));
    held.waitFor(gpu.createGate("shut"));
    held.callHost("held", () -> ran.add("held"));
    gpu.getDevice(0).createStream().callHost("free", () -> ran.add("free"));
    gpu.close();
    assertEquals(Set.of("before", "free"), Set.copyOf(ran));
    assertEquals(List.of("gate shut, which was never opened"), gpu.getHolders());
    assertEquals(List.of(), gpu.getHazards());
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("A body that accesses bytes that its kernel did not declare gets an error")
  void undeclared(Schedule schedule) {
    try (SimBackend gpu = backend(schedule)) {
      SimDevice device = gpu.getDevice(0);
      SimStream stream = device.createStream();
      long block = device.getMemory().allocate(512);
      stream.fill(block, (byte) 7, 512);
      stream.launch(
          SimKernel.named("half")
              .reads(block, 256)
              .body(bytes -> bytes.write(block, bytes.read(block, 256)))
              .build());
      InvalidArgumentException e =
          assertThrows(InvalidArgumentException.class, stream::synchronize);
      assertTrue(e.toString().contains("kernel half may not write 256 bytes"), e.toString());
    }
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("A gate holds its stream, and no other, until it is opened")
  void gate(Schedule schedule) {
    try (SimBackend gpu = backend(schedule)) {
      SimDevice device = gpu.getDevice(0);
      SimStream held = device.createStream();
      SimStream free = device.createStream();
      List<String> ran = new ArrayList<>();
      SimGate gate = gpu.createGate("start");
      held.waitFor(gate);
      held.callHost("held", () -> ran.add("held"));
      free.callHost("free", () -> ran.add("free"));
      free.synchronize();
      assertEquals(List.of("free"), ran);
      for (int i = 0; i < 2 * Schedule.QUESTIONS; i++) {
        assertFalse(held.isIdle());
      }
      gate.open();
      held.synchronize();
      assertEquals(List.of("free", "held"), ran);
      held.waitFor(gate);
      held.synchronize();
    }
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("A gate may be opened by another thread while one waits")
  void gateOpenedMeanwhile(Schedule schedule) throws Exception {
    try (SimBackend gpu =
        SimBackend.builder().schedule(schedule).patience(Duration.ofSeconds(60)).build()) {
      SimStream stream = gpu.getDevice(0).createStream();
      SimGate gate = gpu.createGate("start");
      stream.waitFor(gate);
      CompletableFuture<Void> waiting = CompletableFuture.runAsync(stream::synchronize);
      gate.open();
      waiting.get(1, TimeUnit.HOURS);
      assertEquals(List.of(), codes(gpu));
    }
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("A host that waits for what only it can let go is a deadlock, with the cycle")
  void deadlock(Schedule schedule) {
    try (SimBackend gpu = backend(schedule)) {
      SimDevice device = gpu.getDevice(0);
      SimStream held = device.createStream();
      SimStream behind = device.createStream();
      held.waitFor(gpu.createGate("start"));
      try (SimEvent event = device.createEvent()) {
        event.record(held);
        behind.waitFor(event);
        FatalDeviceException e = assertThrows(FatalDeviceException.class, behind::synchronize);
        assertEquals(702, e.getStatus().code());
        assertEquals(List.of(HazardCode.DEADLOCK), codes(gpu));
        String cycle = gpu.getHazards().get(0).missing();
        assertTrue(cycle.contains("waits for gate start"), cycle);
      }
    }
  }

  @Test
  @DisplayName("A range that is negative or ends beyond all addresses is refused, not overlooked")
  void impossibleRanges() {
    SimKernel.Builder kernel = SimKernel.named("wide");
    assertThrows(InvalidArgumentException.class, () -> kernel.reads(512, -1));
    assertThrows(InvalidArgumentException.class, () -> kernel.writes(512, Long.MAX_VALUE));
  }

  static Stream<Arguments> throwingWaits() {
    List<BiConsumer<SimDevice, SimStream>> waits =
        List.of(
            (device, stream) -> stream.synchronize(),
            (device, stream) -> device.synchronize(),
            (device, stream) -> {
              try (SimEvent event = device.createEvent()) {
                event.record(stream);
                event.synchronize();
              }
            });
    return Schedule.all().stream()
        .flatMap(
            schedule ->
                waits.stream()
                    .flatMap(
                        wait ->
                            Stream.of(
                                Arguments.of(schedule, wait, false),
                                Arguments.of(schedule, wait, true))));
  }

  @ParameterizedTest
  @MethodSource("throwingWaits")
  @DisplayName("43.2 a wait that throws what work has thrown still orders the free after that work")
  void throwingWait(Schedule schedule, BiConsumer<SimDevice, SimStream> wait, boolean fromKernel) {
    try (SimBackend gpu = backend(schedule)) {
      SimDevice device = gpu.getDevice(0);
      SimStream stream = device.createStream();
      SimStream other = device.createStream();
      long block = device.getMemory().allocate(64);
      long unrelated = device.getMemory().allocate(64);
      Runnable bad =
          () -> {
            throw new IllegalStateException("bad");
          };
      other.fill(unrelated, (byte) 1, 64);
      if (fromKernel) {
        stream.launch(SimKernel.named("bad").body(bytes -> bad.run()).build());
      } else {
        stream.callHost("bad", bad);
      }
      stream.fill(block, (byte) 1, 64);
      assertThrows(IllegalStateException.class, () -> wait.accept(device, stream));
      device.getMemory().free(block);
      assertEquals(List.of(), codes(gpu));
      other.fill(unrelated, (byte) 1, 64);
      device.getMemory().free(unrelated);
      assertEquals(List.of(HazardCode.FREE_IN_FLIGHT), codes(gpu));
    }
  }
}
