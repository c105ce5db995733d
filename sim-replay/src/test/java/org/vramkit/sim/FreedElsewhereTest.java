package org.vramkit.sim;

import static org.vramkit.sim.hazard.HazardCode.FREE_RACE;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.vramkit.api.device.StreamOrderedMemory;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.replay.ProgramRecorder;
import org.vramkit.sim.schedule.Schedule;

@DisplayName("Memory in stream order that is freed on a stream of another device")
class FreedElsewhereTest {
  static List<Schedule> schedules() {
    return Schedule.all();
  }

  private static void run(Schedule schedule, boolean ordered, HazardCode... codes) {
    try (Scene scene =
        new Scene(builder -> builder.schedule(schedule).recorder(new ProgramRecorder()))) {
      StreamOrderedMemory memory = scene.device.getStreamOrderedMemory();
      SimStream elsewhere = scene.other.createStream("elsewhere");
      long address = memory.allocate(64, scene.s1);
      scene.order(scene.s1, elsewhere);
      scene.write(scene.s1, address, 64);
      if (ordered) {
        scene.order(scene.s1, elsewhere);
      }
      memory.free(address, elsewhere);
      elsewhere.synchronize();
      long next = memory.allocate(64, scene.s2);
      memory.free(next, scene.s2);
      scene.expect(codes);
      Replays.expectSame(scene);
    }
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("is free when that stream comes after its uses")
  void ordered(Schedule schedule) {
    run(schedule, true);
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("is freed too early if that stream does not")
  void unordered(Schedule schedule) {
    run(schedule, false, FREE_RACE);
  }
}
