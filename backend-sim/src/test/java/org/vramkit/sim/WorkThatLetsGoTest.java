package org.vramkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.vramkit.sim.driver.CostModel;
import org.vramkit.sim.schedule.Schedule;

/** Devices go on while the host waits for a stream that is held. */
@DisplayName("Streams that are held until work of another stream lets them go")
class WorkThatLetsGoTest {
  static List<Schedule> schedules() {
    return Schedule.all();
  }

  /** The first stream is held; the second calls a host function after a kernel. */
  private static void run(Schedule schedule, Consumer<SimGate> letGo, Consumer<SimStream> wait) {
    try (Scene scene = new Scene(builder -> builder.schedule(schedule).costModel(CostModel.H200))) {
      SimGate gate = scene.backend.createGate("gate");
      scene.s1.waitFor(gate);
      scene.read(scene.s1, scene.block, 0);
      scene.write(scene.s2);
      scene.s2.callHost("let go", () -> letGo.accept(gate));
      wait.accept(scene.s1);
      scene.expect();
      // The function may still be on its way back.
      scene.s2.synchronize();
      assertEquals(List.of(), scene.backend.getHolders());
    }
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("A wait ends when a host function opens the gate")
  void opened(Schedule schedule) {
    run(schedule, SimGate::open, SimStream::synchronize);
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("A wait ends when a host function wakes the thread that opens the gate")
  void woken(Schedule schedule) {
    CompletableFuture<SimGate> called = new CompletableFuture<>();
    CompletableFuture<Void> opener = called.thenAcceptAsync(SimGate::open);
    run(schedule, called::complete, SimStream::synchronize);
    opener.join();
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("Asking ends when a host function opens the gate")
  void asked(Schedule schedule) {
    run(
        schedule,
        SimGate::open,
        stream -> {
          int questions = 0;
          while (!stream.isIdle()) {
            assertTrue(++questions < 100_000, "asked " + questions + " times");
          }
        });
  }
}
