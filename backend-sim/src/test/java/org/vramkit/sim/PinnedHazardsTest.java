package org.vramkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.sim.hazard.HazardCode.FREE_IN_FLIGHT;
import static org.vramkit.sim.hazard.HazardCode.HOST_RACE;
import static org.vramkit.sim.hazard.HazardCode.HOST_READ_RACE;
import static org.vramkit.sim.hazard.HazardCode.RACE_RAW;
import static org.vramkit.sim.hazard.HazardCode.RACE_WAR;
import static org.vramkit.sim.hazard.HazardCode.RACE_WAW;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.sim.hazard.CheckerOptions;
import org.vramkit.sim.hazard.HazardReport;

@DisplayName("Hazards: the host and page-locked memory")
class PinnedHazardsTest {
  private static final int BYTES = 256;

  private static PinnedBuffer pinned(Scene scene) {
    return scene.device.getPinnedMemory().allocate(BYTES);
  }

  private static void upload(Scene scene, PinnedBuffer buffer) {
    scene.s1.copyToDevice(scene.block, buffer, 0, BYTES);
  }

  /** A write, and a copy of what it wrote. */
  private static void download(Scene scene, PinnedBuffer buffer) {
    scene.write(scene.s1);
    scene.s1.copyToHost(buffer, 0, scene.block, BYTES);
  }

  @Test
  @DisplayName("19 a buffer written while a copy from it is pending: the exact byte, once")
  void writtenUnderCopy() {
    try (Scene scene = new Scene()) {
      PinnedBuffer buffer = pinned(scene);
      ByteBuffer view = buffer.getBytes(0, BYTES);
      upload(scene, buffer);
      view.put(17, (byte) 1).put(18, (byte) 1);
      scene.s1.synchronize();
      HazardReport report = scene.expect(HOST_RACE).get(0);
      assertEquals(buffer.getAddress() + 17, report.address());
      assertEquals(2, report.bytes());
      assertTrue(report.missing().contains("byte 17"), report.missing());
      scene.device.synchronize();
      buffer.close();
      scene.expect(HOST_RACE);
    }
  }

  @Test
  @DisplayName("19 the line where a write was noticed is not given for the write's")
  void noLineOfTheWrite() {
    try (Scene scene = new Scene(1, CheckerOptions.DEFAULT.withStacks(true))) {
      PinnedBuffer buffer = pinned(scene);
      upload(scene, buffer);
      buffer.getBytes(0, BYTES).put(17, (byte) 1);
      scene.s1.synchronize();
      HazardReport report = scene.expect(HOST_RACE).get(0);
      assertEquals(List.of(), report.later().stack());
      assertTrue(
          !Objects.requireNonNull(report.earlier()).stack().isEmpty(), "the copy's is known");
    }
  }

  @Test
  @DisplayName("19 a copy that is over, but not known to be, is still pending for the host")
  void overButNotKnown() {
    try (Scene scene = new Scene()) {
      PinnedBuffer buffer = pinned(scene);
      upload(scene, buffer);
      scene.backend.advance(100 * Scene.KERNEL_NANOS);
      buffer.getBytes(0, BYTES).put(0, (byte) 1);
      scene.s1.synchronize();
      scene.expect(HOST_RACE);
    }
  }

  @Test
  @DisplayName("19 a buffer refilled for the next copy before the last one is waited for")
  void refilled() {
    try (Scene scene = new Scene()) {
      PinnedBuffer buffer = pinned(scene);
      for (int i = 0; i < 3; i++) {
        buffer.getBytes(0, BYTES).put(0, (byte) i);
        upload(scene, buffer);
      }
      scene.s1.synchronize();
      scene.expect(HOST_RACE, HOST_RACE);
    }
  }

  @Test
  @DisplayName("19 a buffer closed while a copy is pending, from it or to it")
  void closedUnderCopy() {
    try (Scene scene = new Scene()) {
      PinnedBuffer source = pinned(scene);
      upload(scene, source);
      source.close();
      scene.expect(FREE_IN_FLIGHT);
      scene.backend.clearHazards();
      PinnedBuffer target = pinned(scene);
      download(scene, target);
      target.close();
      scene.expect(FREE_IN_FLIGHT);
    }
  }

  @Test
  @DisplayName("19, twin: written and closed after the wait")
  void afterTheWait() {
    try (Scene scene = new Scene()) {
      PinnedBuffer buffer = pinned(scene);
      upload(scene, buffer);
      scene.s1.synchronize();
      buffer.getBytes(0, BYTES).put(0, (byte) 1);
      upload(scene, buffer);
      scene.s1.synchronize();
      buffer.close();
      scene.expect();
    }
  }

  @Test
  @DisplayName("19, twin: a copy to the buffer after the copy from it is no write of the host")
  void writtenByTheDevice() {
    try (Scene scene = new Scene()) {
      PinnedBuffer buffer = pinned(scene);
      upload(scene, buffer);
      scene.s1.fill(scene.block, (byte) 5, BYTES);
      scene.s1.copyToHost(buffer, 0, scene.block, BYTES);
      upload(scene, buffer);
      scene.s1.synchronize();
      assertEquals(5, buffer.getBytes(0, BYTES).get(0));
      scene.expect();
    }
  }

  @Test
  @DisplayName("19, twin: another part of the buffer may be written; pageable memory is staged")
  void otherPart() {
    try (Scene scene = new Scene()) {
      PinnedBuffer buffer = pinned(scene);
      scene.s1.copyToDevice(scene.block, buffer, 0, 100);
      buffer.getBytes(100, 1).put(0, (byte) 1);
      ByteBuffer pageable = ByteBuffer.allocateDirect(BYTES);
      scene.s1.copyToDevice(scene.block, pageable);
      pageable.put(0, (byte) 1);
      scene.s1.synchronize();
      scene.expect();
    }
  }

  @Test
  @DisplayName(
      "20, twin: a view is no access: it may be taken under a copy and read after the wait")
  void viewedUnderCopy() {
    try (Scene scene = new Scene()) {
      PinnedBuffer buffer = pinned(scene);
      scene.s1.fill(scene.block, (byte) 3, BYTES);
      scene.s1.copyToHost(buffer, 0, scene.block, BYTES);
      ByteBuffer view = buffer.getBytes(0, BYTES);
      scene.s1.synchronize();
      scene.backend.hostReads(buffer, 0, BYTES);
      assertEquals(3, view.get(0));
      scene.expect();
    }
  }

  @Test
  @DisplayName("20, twin: after a wait, or after a query that found the event complete")
  void readAfterwards() {
    try (Scene scene = new Scene();
        SimEvent event = scene.device.createEvent()) {
      PinnedBuffer buffer = pinned(scene);
      download(scene, buffer);
      event.record(scene.s1);
      scene.backend.advance(100 * Scene.KERNEL_NANOS);
      while (!event.isComplete()) {
        scene.backend.advance(Scene.KERNEL_NANOS);
      }
      scene.backend.hostReads(buffer, 0, BYTES);
      download(scene, buffer);
      scene.s1.synchronize();
      scene.backend.hostReads(buffer, 0, BYTES);
      scene.expect();
    }
  }

  @Test
  @DisplayName("20, twin: another part of the buffer may be read")
  void readElsewhere() {
    try (Scene scene = new Scene()) {
      PinnedBuffer part = pinned(scene);
      scene.write(scene.s1);
      scene.s1.copyToHost(part, 0, scene.block, 100);
      scene.backend.hostReads(part, 100, 100);
      scene.expect();
    }
  }

  @Test
  @DisplayName("19/20 accesses that the host declares are judged exactly")
  void declared() {
    try (Scene scene = new Scene()) {
      PinnedBuffer buffer = pinned(scene);
      upload(scene, buffer);
      scene.backend.hostReads(buffer, 0, BYTES);
      scene.expect();
      scene.backend.hostWrites(buffer, 10, 5);
      buffer.getBytes(10, 5).put(0, (byte) 1);
      HazardReport report = scene.expect(HOST_RACE).get(0);
      assertEquals(buffer.getAddress() + 10, report.address());
      assertEquals(5, report.bytes());
      scene.s1.synchronize();
      scene.expect(HOST_RACE);
      scene.backend.clearHazards();
      download(scene, buffer);
      scene.backend.hostReads(buffer, 0, 1);
      scene.expect(HOST_READ_RACE);
    }
  }

  @Test
  @DisplayName("19/20, twin: declared after the wait, and before the next copy")
  void declaredInOrder() {
    try (Scene scene = new Scene()) {
      PinnedBuffer buffer = pinned(scene);
      for (int i = 0; i < 3; i++) {
        scene.backend.hostWrites(buffer, 0, BYTES);
        buffer.getBytes(0, BYTES).put(0, (byte) i);
        upload(scene, buffer);
        scene.s1.copyToHost(buffer, 0, scene.block, BYTES);
        scene.s1.synchronize();
        scene.backend.hostReads(buffer, 0, BYTES);
      }
      scene.expect();
    }
  }

  @Test
  @DisplayName("21 a declared write by a thread whose wait was never handed over")
  void declaredByAnotherThread() throws InterruptedException {
    try (Scene scene = new Scene()) {
      PinnedBuffer buffer = pinned(scene);
      upload(scene, buffer);
      Thread writer = new Thread(() -> scene.backend.hostWrites(buffer, 0, 1));
      scene.expect();
      writer.start();
      writer.join();
      scene.expect(HOST_RACE);
    }
  }

  @Test
  @DisplayName("6 copies on unordered streams that touch the same page-locked bytes")
  void copiesRace() {
    try (Scene scene = new Scene()) {
      long other = scene.device.getMemory().allocate(BYTES);
      scene.write(scene.s2, other, BYTES);
      PinnedBuffer buffer = pinned(scene);
      download(scene, buffer);
      scene.s2.copyToHost(buffer, 0, other, BYTES);
      scene.expect(RACE_WAW);
      scene.backend.clearHazards();
      scene.s3.copyToDevice(other, buffer, 0, 1);
      assertEquals(RACE_RAW, scene.backend.getHazards().get(0).code());
      scene.device.synchronize();
      scene.backend.clearHazards();
      upload(scene, buffer);
      scene.s2.copyToHost(buffer, 0, other, BYTES);
      scene.expect(RACE_WAR);
    }
  }

  @Test
  @DisplayName("6, twin: ordered copies, copies of other bytes, and copies that only read")
  void copiesInOrder() {
    try (Scene scene = new Scene()) {
      long other = scene.device.getMemory().allocate(BYTES);
      PinnedBuffer buffer = pinned(scene);
      upload(scene, buffer);
      scene.s2.copyToDevice(other, buffer, 0, BYTES);
      scene.order(scene.s2, scene.s1);
      scene.order(scene.s1, scene.s2);
      scene.s1.copyToHost(buffer, 0, scene.block, 100);
      scene.s2.copyToHost(buffer, 100, other, 100);
      scene.order(scene.s1, scene.s2);
      scene.s2.copyToHost(buffer, 0, other, BYTES);
      scene.expect();
    }
  }

  @Test
  @DisplayName("19 a buffer closed under a copy behind a gate is reported, although it waits")
  void closedUnderGatedCopy() {
    try (Scene scene = new Scene()) {
      PinnedBuffer buffer = pinned(scene);
      SimGate gate = scene.backend.createGate("start");
      scene.s1.waitFor(gate);
      upload(scene, buffer);
      CompletableFuture<Void> opened = CompletableFuture.runAsync(gate::open);
      buffer.close();
      opened.join();
      scene.expect(FREE_IN_FLIGHT);
      scene.s1.synchronize();
      scene.expect(FREE_IN_FLIGHT);
    }
  }
}
