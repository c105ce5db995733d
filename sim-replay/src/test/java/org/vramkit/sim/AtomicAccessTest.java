package org.vramkit.sim;

import static org.vramkit.sim.hazard.HazardCode.RACE_RAW;
import static org.vramkit.sim.hazard.HazardCode.RACE_WAR;
import static org.vramkit.sim.hazard.HazardCode.RACE_WAW;
import static org.vramkit.sim.hazard.HazardCode.UNINIT_READ;

import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.replay.ProgramRecorder;
import org.vramkit.sim.schedule.Schedule;

@DisplayName("Kernels with atomic operations")
class AtomicAccessTest {
  static List<Schedule> schedules() {
    return Schedule.all();
  }

  private static void add(Scene scene, SimStream stream) {
    stream.launch(SimKernel.named("add").atomics(scene.block, 4).build());
  }

  private static void expect(Schedule schedule, Consumer<Scene> program, HazardCode... codes) {
    try (Scene scene =
        new Scene(builder -> builder.schedule(schedule).recorder(new ProgramRecorder()))) {
      scene.write(scene.s1);
      scene.s1.synchronize();
      program.accept(scene);
      scene.expect(codes);
      Replays.expectSame(scene);
    }
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("Two kernels that add to one counter need no order")
  void together(Schedule schedule) {
    expect(
        schedule,
        scene -> {
          add(scene, scene.s1);
          add(scene, scene.s2);
          add(scene, scene.s1);
          scene.order(scene.s1, scene.s3);
          scene.order(scene.s2, scene.s3);
          scene.read(scene.s3);
        });
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("A read needs to come after each of them")
  void read(Schedule schedule) {
    expect(
        schedule,
        scene -> {
          add(scene, scene.s1);
          add(scene, scene.s2);
          scene.order(scene.s1, scene.s3);
          scene.read(scene.s3);
        },
        RACE_RAW);
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("A plain write races with one, before and after")
  void written(Schedule schedule) {
    expect(
        schedule,
        scene -> {
          scene.write(scene.s1);
          add(scene, scene.s2);
          scene.write(scene.s3);
        },
        RACE_WAW,
        RACE_WAW);
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("An atomic access races with an earlier plain read")
  void readBefore(Schedule schedule) {
    expect(
        schedule,
        scene -> {
          scene.read(scene.s1);
          add(scene, scene.s2);
        },
        RACE_WAR);
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("A counter has to be written first")
  void unwritten(Schedule schedule) {
    expect(
        schedule,
        scene -> {
          long counter = scene.device.getMemory().allocate(4);
          scene.s1.launch(SimKernel.named("add").atomics(counter, 4).build());
          scene.s1.synchronize();
          scene.device.getMemory().free(counter);
        },
        UNINIT_READ);
  }
}
