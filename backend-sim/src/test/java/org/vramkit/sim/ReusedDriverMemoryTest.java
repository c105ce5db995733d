package org.vramkit.sim;

import static org.vramkit.sim.hazard.HazardCode.RACE_RAW;
import static org.vramkit.sim.hazard.HazardCode.USE_BEFORE_ALLOC;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.vramkit.api.device.StreamOrderedMemory;
import org.vramkit.sim.schedule.Schedule;

@DisplayName("Stream-ordered memory: what an allocation promises, and what it does not")
class ReusedDriverMemoryTest {
  static List<Schedule> schedules() {
    return Schedule.all();
  }

  private static Scene scene(Schedule schedule) {
    return new Scene(builder -> builder.schedule(schedule));
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("1 a chunk that another stream freed does not put other memory in order")
  void reuseIsNoOrder(Schedule schedule) {
    try (Scene scene = scene(schedule)) {
      StreamOrderedMemory pool = scene.device.getStreamOrderedMemory();
      scene.write(scene.s1);
      pool.free(pool.allocate(Scene.SIZE, scene.s1), scene.s1);
      scene.s3.synchronize();
      long reused = pool.allocate(Scene.SIZE, scene.s2);
      scene.write(scene.s2, reused, Scene.SIZE);
      scene.expect();
      scene.read(scene.s2);
      scene.expect(RACE_RAW);
    }
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("12 an allocation after a wait for its stream is not known by that wait")
  void allocatedAfterWait(Schedule schedule) {
    try (Scene scene = scene(schedule)) {
      scene.write(scene.s1);
      scene.s1.synchronize();
      long memory = scene.device.getStreamOrderedMemory().allocate(Scene.SIZE, scene.s1);
      scene.write(scene.s2, memory, Scene.SIZE);
      scene.expect(USE_BEFORE_ALLOC);
    }
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("12, twin: an allocation before a wait for its stream, or ordered by an event")
  void allocatedBeforeWait(Schedule schedule) {
    try (Scene scene = scene(schedule)) {
      StreamOrderedMemory pool = scene.device.getStreamOrderedMemory();
      scene.write(scene.s1);
      long waited = pool.allocate(Scene.SIZE, scene.s1);
      scene.s1.synchronize();
      long ordered = pool.allocate(Scene.SIZE, scene.s1);
      scene.write(scene.s2, waited, Scene.SIZE);
      scene.order(scene.s1, scene.s2);
      scene.write(scene.s2, ordered, Scene.SIZE);
      scene.expect();
    }
  }
}
