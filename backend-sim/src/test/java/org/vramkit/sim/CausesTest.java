package org.vramkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.sim.hazard.HazardCode.RACE_RAW;
import static org.vramkit.sim.hazard.HazardCode.RACE_WAR;

import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.vramkit.api.device.StreamKind;
import org.vramkit.sim.hazard.HazardReport;
import org.vramkit.sim.schedule.Schedule;

@DisplayName("One report for each cause, with the nearest synchronization that concerns it")
class CausesTest {
  static List<Schedule> schedules() {
    return Schedule.all();
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("A missing order in 1,000 rounds is one report for each kind, with its number")
  void rounds(Schedule schedule) {
    try (Scene scene = new Scene(builder -> builder.schedule(schedule))) {
      for (int i = 0; i < 1000; i++) {
        scene.write(scene.s1);
        scene.read(scene.s2);
      }
      List<HazardReport> reports = scene.expect(RACE_RAW, RACE_WAR);
      assertEquals(1000, reports.get(0).times());
      assertEquals(999, reports.get(1).times());
      assertEquals(2, scene.backend.getHazardCount());
      assertTrue(reports.get(0).toString().contains("times    1000, of which this is the first"));
      assertTrue(reports.get(0).toJson().contains("\"times\""));
    }
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("Ten buffers that race in one launch are one report that names all of them")
  void buffers(Schedule schedule) {
    try (Scene scene = new Scene(builder -> builder.schedule(schedule))) {
      SimKernel.Builder kernel = SimKernel.named("sum");
      for (int i = 0; i < 10; i++) {
        long buffer = scene.device.getMemory().allocate(64);
        scene.write(scene.s1, buffer, 64);
        kernel.reads(buffer, 64);
      }
      scene.s2.launch(kernel.build());
      HazardReport report = scene.expect(RACE_RAW).get(0);
      assertEquals(1, report.times());
      assertEquals(9, report.others().size());
      assertTrue(report.toString().contains("  also     allocation 3 "), report.toString());
      assertTrue(report.toJson().contains("\"others\""));
    }
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("Races of other kernels, or on other streams, are separate causes")
  void others(Schedule schedule) {
    try (Scene scene = new Scene(builder -> builder.schedule(schedule))) {
      scene.write(scene.s1);
      scene.read(scene.s2);
      scene.read(scene.s3);
      scene.expect(RACE_RAW, RACE_RAW);
    }
  }

  @Test
  @DisplayName("A wait for a stream that is closed is not near to another one's work")
  void closedStream() {
    try (Scene scene = new Scene()) {
      SimStream old = scene.device.createStream("old");
      scene.write(old);
      old.synchronize();
      old.close();
      SimStream next = scene.device.createStream("next");
      scene.write(next);
      scene.read(scene.s2);
      assertNull(scene.expect(RACE_RAW).get(0).nearest());
    }
  }

  @Test
  @DisplayName("The next round's wait does not come too late for this one")
  void nextRound() {
    try (Scene scene = new Scene()) {
      scene.write(scene.s1);
      scene.read(scene.s2);
      scene.write(scene.s1);
      scene.order(scene.s1, scene.s2);
      scene.read(scene.s2);
      HazardReport report = scene.expect(RACE_RAW, RACE_WAR).get(0);
      assertNull(report.nearest(), () -> Objects.toString(report.nearest()));
    }
  }

  @Test
  @DisplayName("The default stream and those that block it are called so")
  void names() {
    try (Scene scene = new Scene()) {
      scene.write(scene.s1);
      scene.read(scene.device.getDefaultStream());
      SimStream blocking = scene.device.createStream(StreamKind.BLOCKING);
      scene.write(scene.s2, scene.block, 8);
      scene.read(blocking, scene.block, 8);
      String text = scene.backend.getHazards().toString();
      assertTrue(text.contains("stream default of device 0"), text);
      assertTrue(text.contains("stream blocking 0x"), text);
    }
  }
}
