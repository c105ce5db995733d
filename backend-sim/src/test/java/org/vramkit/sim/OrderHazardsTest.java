package org.vramkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.sim.Scene.SIZE;
import static org.vramkit.sim.hazard.HazardCode.RACE_RAW;
import static org.vramkit.sim.hazard.HazardCode.RACE_WAW;
import static org.vramkit.sim.hazard.HazardCode.WAIT_ON_UNRECORDED_EVENT;

import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.sim.hazard.Access;
import org.vramkit.sim.hazard.AccessKind;
import org.vramkit.sim.hazard.HazardReport;
import org.vramkit.sim.hazard.NearestOrder;
import org.vramkit.sim.hazard.Shortfall;

@DisplayName("Reports of missing order between streams")
class OrderHazardsTest {

  private static void expectNearest(HazardReport report, Shortfall shortfall, String words) {
    NearestOrder nearest = Objects.requireNonNull(report.nearest(), report::toString);
    assertEquals(shortfall, nearest.shortfall(), report::toString);
    assertTrue(nearest.words().contains(words), report::toString);
  }

  @Test
  @DisplayName("1 a read on another stream without an edge is a race that names both accesses")
  void readAfterWrite() {
    try (Scene scene = new Scene()) {
      scene.write(scene.s1);
      scene.read(scene.s2);
      HazardReport report = scene.expect(RACE_RAW).get(0);
      assertEquals(0, report.device());
      assertEquals(scene.block, report.address());
      assertEquals(SIZE, report.bytes());
      Access earlier = Objects.requireNonNull(report.earlier());
      assertEquals(AccessKind.WRITE, earlier.kind());
      assertEquals("kernel write", earlier.operation());
      assertEquals(AccessKind.READ, report.later().kind());
      assertEquals("kernel read", report.later().operation());
      assertTrue(report.missing().contains("wait"), report.missing());
    }
  }

  @Test
  @DisplayName("3 an event recorded one operation too early orders nothing of the write")
  void recordedTooEarly() {
    try (Scene scene = new Scene();
        SimEvent event = scene.device.createEvent()) {
      event.record(scene.s1);
      scene.write(scene.s1);
      scene.s2.waitFor(event);
      scene.read(scene.s2);
      HazardReport report = scene.expect(RACE_RAW).get(0);
      expectNearest(report, Shortfall.TOO_EARLY, "1 operation before the write: record it after");
    }
  }

  @Test
  @DisplayName("4 waiting for an event that was never recorded orders nothing, and is warned of")
  void neverRecorded() {
    try (Scene scene = new Scene();
        SimEvent event = scene.device.createEvent()) {
      scene.write(scene.s1);
      scene.s2.waitFor(event);
      scene.read(scene.s2);
      HazardReport report = scene.expect(RACE_RAW).get(0);
      expectNearest(report, Shortfall.NOT_RECORDED, "which had not been recorded");
      assertEquals(WAIT_ON_UNRECORDED_EVENT, scene.backend.getWarnings().get(0).code());
      assertEquals(1, scene.backend.getWarnings().size());
    }
  }

  @Test
  @DisplayName("5 an event recorded again elsewhere before the wait no longer orders the write")
  void recordedAgainBeforeTheWait() {
    try (Scene scene = new Scene();
        SimEvent event = scene.device.createEvent()) {
      scene.write(scene.s1);
      event.record(scene.s1);
      event.record(scene.s3);
      scene.s2.waitFor(event);
      scene.read(scene.s2);
      HazardReport report = scene.expect(RACE_RAW).get(0);
      expectNearest(report, Shortfall.RECORDED_AGAIN, "generation 2; generation 1, recorded at");
    }
  }

  @Test
  @DisplayName("6 writes that overlap in one byte are a race over exactly that byte")
  void overlapByOneByte() {
    try (Scene scene = new Scene()) {
      scene.write(scene.s1, scene.block, 100);
      scene.write(scene.s2, scene.block + 99, 100);
      HazardReport report = scene.expect(RACE_WAW).get(0);
      assertEquals(scene.block + 99, report.address());
      assertEquals(1, report.bytes());
    }
  }

  @Test
  @DisplayName("7, twin: one race is reported once, not again by all that follows")
  void reportedOnce() {
    try (Scene scene = new Scene()) {
      scene.write(scene.s1);
      for (int i = 0; i < 10; i++) {
        scene.read(scene.s2);
      }
      scene.expect(RACE_RAW);
    }
  }
}
