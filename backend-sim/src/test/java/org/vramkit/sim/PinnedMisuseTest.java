package org.vramkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.sim.hazard.HazardCode.HOST_RACE;
import static org.vramkit.sim.hazard.HazardCode.UNINIT_READ;
import static org.vramkit.sim.hazard.HazardCode.USE_AFTER_FREE;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.hazard.HazardReport;
import org.vramkit.sim.schedule.Schedule;

@DisplayName(
    "Page-locked memory: changed under one of many copies, used when closed, never written")
class PinnedMisuseTest {
  private static final int BYTES = 64;

  static List<Schedule> schedules() {
    return Schedule.all();
  }

  private static void expect(Schedule schedule, Consumer<Scene> program, HazardCode... codes) {
    try (Scene scene = new Scene(builder -> builder.schedule(schedule))) {
      program.accept(scene);
      scene.expect(codes);
    }
  }

  private static PinnedBuffer pinned(Scene scene, int bytes) {
    return scene.device.getPinnedMemory().allocate(bytes);
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("The first of 5,000 pending copies is watched as the last")
  void manyCopies(Schedule schedule) {
    expect(
        schedule,
        scene -> {
          PinnedBuffer buffer = pinned(scene, 5000 * 8);
          for (int i = 0; i < 5000; i++) {
            scene.s1.copyToDevice(scene.block, buffer, 8L * i, 8);
          }
          buffer.getBytes(0, 8).put(3, (byte) 1);
          scene.s1.synchronize();
        },
        HOST_RACE);
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("A view is written after its buffer was closed")
  void writtenAfterClose(Schedule schedule) {
    expect(
        schedule,
        scene -> {
          PinnedBuffer buffer = pinned(scene, BYTES);
          ByteBuffer view = buffer.getBytes(0, BYTES);
          view.put(0, (byte) 1);
          buffer.close();
          view.put(1, (byte) 1);
          scene.s1.synchronize();
        },
        USE_AFTER_FREE);
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("A user's memory may be written once it is unlocked")
  void registered(Schedule schedule) {
    expect(
        schedule,
        scene -> {
          ByteBuffer own = ByteBuffer.allocateDirect(BYTES);
          scene.device.getPinnedMemory().register(own).close();
          own.put(0, (byte) 1);
          scene.s1.synchronize();
        });
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("Unwritten bytes are copied to the device and read")
  void neverWritten(Schedule schedule) {
    try (Scene scene = new Scene(builder -> builder.schedule(schedule))) {
      PinnedBuffer buffer = pinned(scene, BYTES);
      scene.s1.copyToDevice(scene.block, buffer, 0, BYTES);
      scene.read(scene.s1, scene.block, BYTES);
      HazardReport hazard = scene.expect(UNINIT_READ).get(0);
      String missing = hazard.missing();
      assertTrue(missing.contains("of page-locked buffer, which were never written"), missing);
      assertEquals("fill the page-locked buffer before the copy reads it", hazard.remedy());
    }
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("Bytes are written through a view, by a copy, by a function or as said, and read")
  void written(Schedule schedule) {
    expect(
        schedule,
        scene -> {
          PinnedBuffer buffer = pinned(scene, 4 * BYTES);
          buffer.getBytes(0, BYTES).put(new byte[BYTES]);
          scene.write(scene.s1);
          scene.s1.copyToHost(buffer, BYTES, scene.block, BYTES);
          ByteBuffer view = buffer.getBytes(2 * BYTES, BYTES);
          scene.s1.synchronize();
          scene.s1.callHost("fill", () -> view.put(0, new byte[BYTES]));
          scene.s1.copyToDevice(scene.block, buffer, 0, 3 * BYTES);
          scene.read(scene.s1, scene.block, 3 * BYTES);
          scene.s1.synchronize();
        });
  }
}
