package org.vramkit.pressure;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.driver.Fault;
import org.vramkit.sim.schedule.Schedule;

@DisplayName("45.2 A working set of twice the device")
@Tag("own-schedules")
class SpillSchedulesTest {
  @TempDir Path folder;

  static Stream<String> schedules() {
    return Stream.of("timed", "eager", "lazy", "reverse", "random", "priorities:3", "starving");
  }

  private static Scene scene(String schedule, long seed) {
    return new Scene(
        SimBackend.builder()
            .device(
                DeviceProfile.builder("small")
                    .from(DeviceProfile.SMALL_8GIB)
                    .memory(32 * Scene.MIB)
                    .build())
            .schedule(Schedule.of(schedule))
            .seed(seed)
            .build());
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("45.2 keeps its contents through host and disk, without a hazard, on every schedule")
  void contents(String schedule) {
    long seed = 7;
    try (Scene scene = scene(schedule, seed)) {
      SpillStatistics end = new SpillProgram(seed, scene, folder).run();
      assertTrue(end.diskWrites() > 0 && end.restores() > 20, end.toString());
    }
  }

  @Test
  @DisplayName("45.2 keeps its contents whichever driver call fails")
  void faults() {
    eachCall(701);
  }

  @Test
  @Tag("soak")
  @DisplayName("45.2 keeps its contents whichever driver call fails, each in turn")
  void everyFault() {
    eachCall(1);
  }

  private void eachCall(int step) {
    long calls = 1;
    for (long number = 0; number < calls; number += step) {
      try (Scene scene = scene("timed", 1)) {
        long before = scene.gpu.getDriverCalls().getTotal();
        scene.gpu.getFaults().failCall(before + 5 + number, Fault.UNKNOWN);
        new SpillProgram(1, scene, folder).run();
        calls = scene.gpu.getDriverCalls().getTotal() - before - 4;
      } catch (RuntimeException | AssertionError e) {
        throw new AssertionError("call " + number + " fails", e);
      }
    }
    assertTrue(calls > 200, calls + " calls");
  }
}
