package org.vramkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.vramkit.sim.hazard.HazardCode.HOST_RACE;

import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.sim.schedule.Schedule;

@DisplayName("Host functions that fill page-locked memory in stream order")
class HostFunctionsTest {
  private static final int BYTES = 64;

  static List<Schedule> schedules() {
    return Schedule.all();
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("19, twin: a buffer that a host function fills before each of its copies")
  void filledInOrder(Schedule schedule) {
    try (Scene scene = new Scene(builder -> builder.schedule(schedule))) {
      PinnedBuffer buffer = scene.device.getPinnedMemory().allocate(BYTES);
      ByteBuffer view = buffer.getBytes(0, BYTES);
      scene.write(scene.s2);
      scene.order(scene.s2, scene.s1);
      for (byte round = 1; round <= 3; round++) {
        byte value = round;
        scene.s1.callHost("fill", () -> view.put(0, value));
        scene.s1.copyToDevice(scene.block + BYTES * value, buffer, 0, BYTES);
      }
      scene.s1.synchronize();
      for (byte round = 1; round <= 3; round++) {
        ByteBuffer copied = ByteBuffer.allocate(1);
        scene.s1.copyToHost(copied, scene.block + BYTES * round);
        assertEquals(round, copied.get(0));
      }
      buffer.close();
      scene.expect();
    }
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("19 what a thread writes under a copy is found also where a host function follows")
  void writtenByThread(Schedule schedule) {
    try (Scene scene = new Scene(builder -> builder.schedule(schedule))) {
      PinnedBuffer buffer = scene.device.getPinnedMemory().allocate(BYTES);
      ByteBuffer view = buffer.getBytes(0, BYTES);
      scene.s1.copyToDevice(scene.block, buffer, 0, BYTES);
      view.put(7, (byte) 1);
      scene.s1.callHost("fill", () -> view.put(7, (byte) 2));
      scene.s1.synchronize();
      assertEquals(buffer.getAddress() + 7, scene.expect(HOST_RACE).get(0).address());
    }
  }
}
