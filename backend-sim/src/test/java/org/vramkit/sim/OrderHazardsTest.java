package org.vramkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.sim.Scene.SIZE;
import static org.vramkit.sim.hazard.HazardCode.RACE_RAW;
import static org.vramkit.sim.hazard.HazardCode.RACE_WAR;
import static org.vramkit.sim.hazard.HazardCode.RACE_WAW;
import static org.vramkit.sim.hazard.HazardCode.WAIT_ON_UNRECORDED_EVENT;

import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.device.StreamKind;
import org.vramkit.sim.hazard.Access;
import org.vramkit.sim.hazard.AccessKind;
import org.vramkit.sim.hazard.HazardReport;
import org.vramkit.sim.hazard.NearestOrder;
import org.vramkit.sim.hazard.Shortfall;

@DisplayName("Hazards: order between streams")
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
  @DisplayName("1, twin: the same on one stream is in order")
  void oneStream() {
    try (Scene scene = new Scene()) {
      scene.write(scene.s1);
      scene.read(scene.s1);
      scene.expect();
    }
  }

  @Test
  @DisplayName("2 an event recorded after the write and waited for orders the read")
  void eventOrders() {
    try (Scene scene = new Scene()) {
      scene.write(scene.s1);
      scene.order(scene.s1, scene.s2);
      scene.read(scene.s2);
      scene.expect();
    }
  }

  @Test
  @DisplayName("2, twin: so does a host that waits for the stream, or asks and is told it is idle")
  void hostOrders() {
    try (Scene scene = new Scene()) {
      scene.write(scene.s1);
      scene.s1.synchronize();
      scene.read(scene.s2);
      scene.backend.advance(10 * Scene.KERNEL_NANOS);
      assertTrue(scene.s2.isIdle());
      scene.write(scene.s3);
      scene.expect();
    }
  }

  @Test
  @DisplayName("2, twin: order passes from stream to stream to stream")
  void orderIsTransitive() {
    try (Scene scene = new Scene()) {
      scene.write(scene.s1);
      scene.order(scene.s1, scene.s2);
      scene.order(scene.s2, scene.s3);
      scene.write(scene.s3);
      scene.expect();
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
  @DisplayName("5, twin: a wait keeps what the event held when the wait was issued")
  void recordedAgainAfterTheWait() {
    try (Scene scene = new Scene();
        SimEvent event = scene.device.createEvent()) {
      scene.write(scene.s1);
      event.record(scene.s1);
      scene.s2.waitFor(event);
      event.record(scene.s3);
      scene.read(scene.s2);
      scene.expect();
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
  @DisplayName("6, twin: writes of disjoint bytes of one block are no race")
  void disjointWrites() {
    try (Scene scene = new Scene()) {
      scene.write(scene.s1, scene.block, 100);
      scene.write(scene.s2, scene.block + 100, 100);
      scene.expect();
    }
  }

  @Test
  @DisplayName("7 a write that does not wait for an earlier read is a race")
  void writeAfterRead() {
    try (Scene scene = new Scene()) {
      scene.write(scene.s1);
      scene.s1.synchronize();
      scene.read(scene.s2);
      scene.write(scene.s1);
      scene.expect(RACE_WAR);
    }
  }

  @Test
  @DisplayName("7, twin: with the edge back from the reader it is in order; two reads always are")
  void writeWaitsForRead() {
    try (Scene scene = new Scene()) {
      scene.write(scene.s1);
      scene.s1.synchronize();
      scene.read(scene.s2);
      scene.read(scene.s3);
      scene.order(scene.s2, scene.s1);
      scene.order(scene.s3, scene.s1);
      scene.write(scene.s1);
      scene.expect();
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

  @Test
  @DisplayName("22 the default stream orders blocking streams, and not the others")
  void defaultStream() {
    try (Scene scene = new Scene()) {
      SimStream first = scene.device.createStream(StreamKind.BLOCKING);
      SimStream second = scene.device.createStream(StreamKind.BLOCKING);
      long between = scene.device.getMemory().allocate(SIZE);
      scene.write(first);
      scene.write(scene.device.getDefaultStream(), between, SIZE);
      scene.read(second);
      scene.expect();
      scene.read(scene.s1);
      scene.expect(RACE_RAW);
    }
  }
}
