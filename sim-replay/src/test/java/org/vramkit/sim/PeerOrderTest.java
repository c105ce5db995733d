package org.vramkit.sim;

import static org.vramkit.sim.hazard.HazardCode.OVERLAPPING_COPY;
import static org.vramkit.sim.hazard.HazardCode.PEER_NOT_ENABLED;

import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.vramkit.api.device.DriverPool;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.replay.ProgramRecorder;
import org.vramkit.sim.schedule.Schedule;

@DisplayName("Access of other devices: taken away under work, and to pools of the driver")
class PeerOrderTest {
  static List<Schedule> schedules() {
    return Schedule.all();
  }

  private static void expect(Schedule schedule, Consumer<Scene> program, HazardCode... codes) {
    try (Scene scene =
        new Scene(builder -> builder.schedule(schedule).recorder(new ProgramRecorder()))) {
      program.accept(scene);
      scene.expect(codes);
      Replays.expectSame(scene);
    }
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("Peer access is taken away under work that uses it")
  void taken(Schedule schedule) {
    expect(
        schedule,
        scene -> {
          SimStream elsewhere = scene.other.createStream("elsewhere");
          scene.other.getPeerAccess().enable(scene.device);
          scene.write(elsewhere);
          scene.other.getPeerAccess().disable(scene.device);
        },
        PEER_NOT_ENABLED);
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("Peer access may be removed after a wait for the work, or if no work used it")
  void takenInTime(Schedule schedule) {
    expect(
        schedule,
        scene -> {
          SimStream elsewhere = scene.other.createStream("elsewhere");
          scene.other.getPeerAccess().enable(scene.device);
          scene.write(elsewhere);
          elsewhere.synchronize();
          scene.write(scene.s1);
          scene.write(elsewhere, scene.other.getMemory().allocate(64), 64);
          scene.other.getPeerAccess().disable(scene.device);
        });
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("Peer access does not open memory in stream order")
  void pool(Schedule schedule) {
    expect(
        schedule,
        scene -> {
          SimStream elsewhere = scene.other.createStream("elsewhere");
          scene.other.getPeerAccess().enable(scene.device);
          long address = scene.device.getStreamOrderedMemory().allocate(64, scene.s1);
          scene.order(scene.s1, elsewhere);
          scene.write(elsewhere, address, 64);
        },
        PEER_NOT_ENABLED);
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("A pool is opened, and closed under work")
  void openPool(Schedule schedule) {
    expect(
        schedule,
        scene -> {
          SimStream elsewhere = scene.other.createStream("elsewhere");
          DriverPool pool = scene.device.getDriverPools().create(0);
          pool.setAccess(scene.other, true);
          long address = pool.allocate(64, scene.s1);
          scene.order(scene.s1, elsewhere);
          scene.write(elsewhere, address, 64);
          elsewhere.synchronize();
          pool.setAccess(scene.other, false);
          pool.setAccess(scene.other, true);
          scene.write(elsewhere, address, 64);
          pool.setAccess(scene.other, false);
          pool.free(address, elsewhere);
          pool.close();
        },
        PEER_NOT_ENABLED);
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("Source and target of a copy overlap, or are neighbours")
  void overlappingCopy(Schedule schedule) {
    expect(
        schedule,
        scene -> {
          scene.write(scene.s1);
          scene.s1.copy(scene.block + 64, scene.block, 64);
          scene.s1.copy(scene.block, scene.block + 64, 64);
          scene.s1.copy(scene.block + 32, scene.block, 64);
        },
        OVERLAPPING_COPY);
  }
}
