package org.vramkit.sim;

import static org.vramkit.sim.hazard.HazardCode.EARLY_REUSE;
import static org.vramkit.sim.hazard.HazardCode.RACE_RAW;
import static org.vramkit.sim.hazard.HazardCode.RACE_WAW;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.vramkit.api.device.StreamKind;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.replay.ProgramRecorder;
import org.vramkit.sim.schedule.Schedule;

@DisplayName("The legacy default stream and those that block it")
class DefaultStreamOrderTest {
  static List<Schedule> schedules() {
    return Schedule.all();
  }

  /** A program with the default stream, two blocking ones, and one that is neither. */
  @FunctionalInterface
  private interface Program {
    void run(Scene scene, SimStream base, SimStream b1, SimStream b2);
  }

  private static void expect(Schedule schedule, Program program, HazardCode... codes) {
    try (Scene scene =
        new Scene(builder -> builder.schedule(schedule).recorder(new ProgramRecorder()))) {
      SimStream b1 = scene.device.createStream(StreamKind.BLOCKING);
      SimStream b2 = scene.device.createStream(StreamKind.BLOCKING);
      program.run(scene, scene.device.getDefaultStream(), b1, b2);
      scene.expect(codes);
      Replays.expectSame(scene);
    }
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("A wait of the default stream orders later work of blocking streams")
  void waits(Schedule schedule) {
    expect(
        schedule,
        (scene, base, b1, b2) -> {
          scene.write(scene.s1);
          scene.order(scene.s1, base);
          scene.read(b1);
          scene.read(b2);
        });
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("A wait of the default stream comes after earlier work of blocking streams")
  void waitsAsBarrier(Schedule schedule) {
    expect(
        schedule,
        (scene, base, b1, b2) -> {
          try (SimEvent event = scene.device.createEvent()) {
            event.record(scene.s1);
            scene.write(b1);
            base.waitFor(event);
            scene.read(b2);
          }
        });
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("Two blocking streams are not ordered by themselves, nor those that do not block")
  void unordered(Schedule schedule) {
    expect(
        schedule,
        (scene, base, b1, b2) -> {
          scene.write(b1, scene.block, 64);
          scene.read(b2, scene.block, 64);
          scene.write(scene.s1, scene.block + 64, 64);
          scene.read(base, scene.block + 64, 64);
        },
        RACE_RAW,
        RACE_RAW);
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("A block of the default stream that a blocking one used is handed out again")
  void reused(Schedule schedule) {
    expect(
        schedule,
        (scene, base, b1, b2) -> {
          scene.handOut(scene.block, Scene.SIZE, base);
          scene.write(b1);
          scene.takeBack(scene.block, base);
          scene.handOut(scene.block, Scene.SIZE, base);
          scene.write(b1);
          scene.write(base);
          scene.write(b2);
        });
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("A second blocking stream that uses it next has nothing to come after the first")
  void reusedElsewhere(Schedule schedule) {
    expect(
        schedule,
        (scene, base, b1, b2) -> {
          scene.handOut(scene.block, Scene.SIZE, base);
          scene.write(b1);
          scene.takeBack(scene.block, base);
          scene.handOut(scene.block, Scene.SIZE, base);
          scene.write(b2);
        },
        RACE_WAW);
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("A block of the default stream that another one used is not, unrecorded")
  void reusedEarly(Schedule schedule) {
    expect(
        schedule,
        (scene, base, b1, b2) -> {
          scene.handOut(scene.block, Scene.SIZE, base);
          scene.write(base);
          scene.order(base, scene.s1);
          scene.write(scene.s1);
          scene.takeBack(scene.block, base);
          scene.handOut(scene.block, Scene.SIZE, base);
        },
        EARLY_REUSE);
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("A use by a stream that the next work on the block's own follows needs no record")
  void closed(Schedule schedule) {
    expect(
        schedule,
        (scene, base, b1, b2) -> {
          scene.handOut(scene.block, 64, base);
          scene.write(b1, scene.block, 64);
          scene.takeBack(scene.block, base);
          scene.handOut(scene.block + 64, 64, b1);
          scene.write(base, scene.block + 64, 64);
          scene.takeBack(scene.block + 64, b1);
          scene.handOut(scene.block + 64, 64, b1);
          scene.write(b1, scene.block + 64, 64);
        });
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("A use by another blocking stream needs one")
  void closedUnrecorded(Schedule schedule) {
    expect(
        schedule,
        (scene, base, b1, b2) -> {
          scene.handOut(scene.block, 64, b1);
          scene.order(b1, b2);
          scene.write(b2, scene.block, 64);
          scene.takeBack(scene.block, b1);
        },
        EARLY_REUSE);
  }
}
