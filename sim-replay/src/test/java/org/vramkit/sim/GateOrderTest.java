package org.vramkit.sim;

import static org.vramkit.sim.hazard.HazardCode.RACE_RAW;
import static org.vramkit.sim.hazard.HazardCode.RACE_WAR;
import static org.vramkit.sim.hazard.HazardCode.RACE_WAW;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.vramkit.sim.replay.ProgramRecorder;
import org.vramkit.sim.schedule.Schedule;

@DisplayName(
    "Gates order the work behind them after the knowledge of the thread that" + " opens them")
class GateOrderTest {
  static List<Schedule> schedules() {
    return Schedule.all();
  }

  private static Scene scene(Schedule schedule) {
    return new Scene(builder -> builder.schedule(schedule).recorder(new ProgramRecorder()));
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("Work behind a gate comes after what the opening thread waited for")
  void opened(Schedule schedule) {
    try (Scene scene = scene(schedule)) {
      SimGate gate = scene.backend.createGate("gate");
      scene.write(scene.s1);
      scene.s2.waitFor(gate);
      scene.read(scene.s2);
      scene.s1.synchronize();
      gate.open();
      scene.order(scene.s2, scene.s3);
      scene.write(scene.s3);
      scene.s3.synchronize();
      scene.expect();
      Replays.expectSame(scene);
    }
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("A gate that is opened without a wait orders nothing")
  void openedTooEarly(Schedule schedule) {
    try (Scene scene = scene(schedule)) {
      SimGate gate = scene.backend.createGate("gate");
      scene.write(scene.s1);
      scene.s2.waitFor(gate);
      scene.read(scene.s2);
      gate.open();
      scene.s1.synchronize();
      scene.s2.synchronize();
      scene.expect(RACE_RAW);
      Replays.expectSame(scene);
    }
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("One of two pieces of work that the opening thread has not waited for is a race")
  void openedHalf(Schedule schedule) {
    try (Scene scene = scene(schedule)) {
      SimGate gate = scene.backend.createGate("gate");
      scene.write(scene.s1, scene.block, 64);
      scene.write(scene.s3, scene.block + 64, 64);
      scene.s2.waitFor(gate);
      scene.write(scene.s2);
      scene.s1.synchronize();
      gate.open();
      scene.expect(RACE_WAW);
      Replays.expectSame(scene);
    }
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName(
      "Work behind an event behind a gate comes after that gate too, and after" + " every gate")
  void events(Schedule schedule) {
    try (Scene scene = scene(schedule)) {
      SimGate gate = scene.backend.createGate("gate");
      SimGate second = scene.backend.createGate("second");
      scene.write(scene.s1, scene.block, 64);
      scene.write(scene.s3, scene.block + 64, 64);
      scene.s2.waitFor(gate);
      scene.s2.waitFor(second);
      SimStream behind = scene.device.createStream("behind");
      scene.order(scene.s2, behind);
      scene.read(behind, scene.block, 128);
      scene.s1.synchronize();
      gate.open();
      scene.s3.synchronize();
      second.open();
      scene.expect();
      behind.synchronize();
      behind.close();
      Replays.expectSame(scene);
    }
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("Work behind a gate comes after work that was queued later and waited for first")
  void queuedBefore(Schedule schedule) {
    try (Scene scene = scene(schedule)) {
      SimGate gate = scene.backend.createGate("gate");
      scene.s2.waitFor(gate);
      scene.read(scene.s2);
      scene.write(scene.s1);
      scene.s1.synchronize();
      gate.open();
      scene.s2.synchronize();
      scene.expect();
      Replays.expectSame(scene);
    }
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("Without the wait, it is a race")
  void queuedBeforeAndNotWaitedFor(Schedule schedule) {
    try (Scene scene = scene(schedule)) {
      SimGate gate = scene.backend.createGate("gate");
      scene.s2.waitFor(gate);
      scene.read(scene.s2);
      scene.write(scene.s1);
      gate.open();
      scene.expect(RACE_WAR);
      Replays.expectSame(scene);
    }
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("A gate opened by a host function orders what comes before that in its stream")
  void openedByFunction(Schedule schedule) throws Exception {
    try (Scene scene = scene(schedule)) {
      SimGate gate = scene.backend.createGate("gate");
      scene.write(scene.s3, scene.block + 64, 64);
      scene.s2.waitFor(gate);
      scene.read(scene.s2, scene.block + 64, 64);
      scene.order(scene.s3, scene.s1);
      CompletableFuture<Void> opened = new CompletableFuture<>();
      scene.s1.callHost(
          "open",
          () -> {
            gate.open();
            opened.complete(null);
          });
      opened.get();
      scene.s2.synchronize();
      scene.expect();
      Replays.expectSame(scene);
    }
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("A gate that is open already orders what waits for it later")
  void openBefore(Schedule schedule) {
    try (Scene scene = scene(schedule)) {
      SimGate gate = scene.backend.createGate("gate");
      scene.write(scene.s1);
      scene.s1.synchronize();
      gate.open();
      scene.s2.waitFor(gate);
      scene.read(scene.s2);
      scene.expect();
    }
  }
}
