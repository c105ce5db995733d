package org.vramkit.sim;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.sim.Scene.SIZE;
import static org.vramkit.sim.hazard.HazardCode.RACE_RAW;
import static org.vramkit.sim.hazard.HazardCode.UNINIT_READ;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.device.VirtualMemory;
import org.vramkit.sim.hazard.CheckerOptions;
import org.vramkit.sim.hazard.HazardReport;
import org.vramkit.sim.hazard.UnwrittenReadPolicy;

@DisplayName("Hazards: bytes that were never written")
class UnwrittenReadsTest {

  @Test
  @DisplayName("18 a read of unwritten plain memory is reported once, with its bytes")
  void neverWritten() {
    try (Scene scene = new Scene()) {
      scene.read(scene.s1);
      HazardReport report = scene.expect(UNINIT_READ).get(0);
      assertEquals(scene.block, report.address());
      assertEquals(SIZE, report.bytes());
      assertFalse(report.missing().contains("recycled"), report.missing());
      scene.read(scene.s1);
      scene.read(scene.s2);
      scene.expect(UNINIT_READ);
    }
  }

  @Test
  @DisplayName("18 memory that is initialised in parts: the report lists the gaps, the first few")
  void writtenInParts() {
    try (Scene scene = new Scene()) {
      scene.write(scene.s1, scene.block + 16, 16);
      scene.write(scene.s1, scene.block + 48, SIZE - 48);
      scene.read(scene.s1);
      HazardReport report = scene.expect(UNINIT_READ).get(0);
      assertEquals(16, report.bytes());
      String first = "[0x" + Long.toHexString(scene.block) + ", +16)";
      String second = "[0x" + Long.toHexString(scene.block + 32) + ", +16)";
      assertTrue(report.missing().contains(first + ", " + second), report.missing());
      scene.backend.clearHazards();
      long holes = scene.device.getMemory().allocate(SIZE);
      for (int i = 0; i < 10; i++) {
        scene.write(scene.s1, holes + 64L * i, 32);
      }
      scene.read(scene.s1, holes, SIZE);
      assertTrue(scene.expect(UNINIT_READ).get(0).missing().contains("6 more"));
    }
  }

  @Test
  @DisplayName("18 a block that a pool hands out again holds its last owner's bytes, not the new's")
  void recycledBlock() {
    try (Scene scene = new Scene()) {
      scene.handOut(scene.block, SIZE, scene.s1);
      scene.write(scene.s1);
      scene.takeBack(scene.block, scene.s1);
      scene.handOut(scene.block, SIZE / 2, scene.s1);
      scene.read(scene.s1, scene.block, SIZE / 2);
      HazardReport report = scene.expect(UNINIT_READ).get(0);
      assertTrue(report.missing().contains("recycled"), report.missing());
    }
  }

  @Test
  @DisplayName("18 stream-ordered memory recycled by the driver, and pages mapped, hold nothing")
  void otherKindsOfMemory() {
    try (Scene scene = new Scene()) {
      long first = scene.device.getStreamOrderedMemory().allocate(SIZE, scene.s1);
      scene.write(scene.s1, first, SIZE);
      scene.device.getStreamOrderedMemory().free(first, scene.s1);
      long second = scene.device.getStreamOrderedMemory().allocate(SIZE, scene.s1);
      scene.read(scene.s1, second, SIZE);
      assertTrue(scene.expect(UNINIT_READ).get(0).missing().contains("recycled"));
      scene.backend.clearHazards();
      VirtualMemory memory = scene.device.getVirtualMemory();
      long page = memory.getGranularity();
      long range = memory.reserve(page);
      memory.map(range, page, memory.create(page));
      memory.setAccess(range, page, scene.device);
      scene.read(scene.s1, range, 100);
      assertEquals(100, scene.expect(UNINIT_READ).get(0).bytes());
    }
  }

  @Test
  @DisplayName("18 a copy hands unwritten bytes on, range by range; the read after it is reported")
  void copiesPropagate() {
    try (Scene scene = new Scene()) {
      long target = scene.device.getMemory().allocate(SIZE);
      scene.write(scene.s1, target, SIZE);
      scene.write(scene.s1, scene.block, SIZE - 100);
      scene.s1.copy(target, scene.block, SIZE);
      scene.read(scene.s1, target, SIZE - 100);
      scene.expect();
      scene.read(scene.s1, target, SIZE);
      HazardReport report = scene.expect(UNINIT_READ).get(0);
      assertEquals(target + SIZE - 100, report.address());
      assertEquals(100, report.bytes());
      assertEquals(target, requireNonNull(report.memory()).address());
      String source = "[0x" + Long.toHexString(scene.block + SIZE - 100) + ", +100)";
      assertTrue(report.missing().contains("copied there from " + source), report.missing());
      // The same bytes where they come from are the same fault.
      scene.read(scene.s1);
      scene.expect(UNINIT_READ);
    }
  }

  @Test
  @DisplayName("18 copies to the host, pageable and pinned, consume what they read")
  void copiesToHost() {
    try (Scene scene = new Scene()) {
      scene.s1.copyToHost(ByteBuffer.allocate(100), scene.block);
      assertEquals(100, scene.expect(UNINIT_READ).get(0).bytes());
      PinnedBuffer pinned = scene.device.getPinnedMemory().allocate(100);
      scene.s1.copyToHost(pinned, 0, scene.block + 100, 100);
      scene.expect(UNINIT_READ, UNINIT_READ);
    }
  }

  @Test
  @DisplayName("18 by choice a copy of unwritten bytes is reported itself")
  void reportedAtCopy() {
    CheckerOptions atCopy =
        CheckerOptions.DEFAULT.withUnwrittenReads(UnwrittenReadPolicy.REPORT_AT_COPY);
    try (Scene scene = new Scene(1, atCopy)) {
      long target = scene.device.getMemory().allocate(SIZE);
      scene.s1.copy(target, scene.block, SIZE);
      assertEquals("copy", scene.expect(UNINIT_READ).get(0).later().operation());
      scene.read(scene.s1, target, SIZE);
      scene.expect(UNINIT_READ);
    }
  }

  @Test
  @DisplayName("18, twin: kernels, fills and copies from the host write what is read after them")
  void everyWayToWrite() {
    try (Scene scene = new Scene()) {
      PinnedBuffer pinned = scene.device.getPinnedMemory().allocate(1024);
      pinned.getBytes(0, 1024).put(new byte[1024]);
      scene.write(scene.s1, scene.block, 1024);
      scene.s1.fill(scene.block + 1024, (byte) 0, 1024);
      scene.s1.copyToDevice(scene.block + 2048, ByteBuffer.allocate(1024));
      scene.s1.copyToDevice(scene.block + 3072, pinned, 0, 1024);
      scene.read(scene.s1);
      scene.expect();
    }
  }

  @Test
  @DisplayName("18, twin: a copy of written bytes makes its target written, also on other devices")
  void copyOfWrittenBytes() {
    try (Scene scene = new Scene()) {
      long target = scene.other.getMemory().allocate(SIZE);
      scene.device.getPeerAccess().enable(scene.other);
      scene.write(scene.s1);
      scene.s1.copy(target, scene.block, SIZE);
      scene.read(scene.s1, target, SIZE);
      scene.expect();
    }
  }

  @Test
  @DisplayName("18, twin: unwritten bytes that are copied, but overwritten before they are used")
  void copiedInPassing() {
    try (Scene scene = new Scene()) {
      long target = scene.device.getMemory().allocate(SIZE);
      scene.s1.copy(target, scene.block, SIZE);
      scene.write(scene.s1, target, SIZE);
      scene.read(scene.s1, target, SIZE);
      scene.expect();
    }
  }

  @Test
  @DisplayName("18, twin: a recycled block whose new owner writes what it reads, and no more")
  void recycledAndWritten() {
    try (Scene scene = new Scene()) {
      scene.handOut(scene.block, SIZE, scene.s1);
      scene.takeBack(scene.block, scene.s1);
      scene.handOut(scene.block, SIZE, scene.s1);
      scene.write(scene.s1, scene.block, 10);
      scene.read(scene.s1, scene.block, 10);
      scene.expect();
    }
  }

  @Test
  @DisplayName("18, twin: switched off, nothing is said")
  void switchedOff() {
    CheckerOptions off = CheckerOptions.DEFAULT.withUnwrittenReads(UnwrittenReadPolicy.IGNORE);
    try (Scene scene = new Scene(1, off)) {
      scene.read(scene.s1);
      scene.expect();
    }
  }

  @Test
  @DisplayName("18 a read that races with the write of its bytes is a race, and no second fault")
  void raceIsNoUnwrittenRead() {
    try (Scene scene = new Scene()) {
      scene.write(scene.s1);
      scene.read(scene.s2);
      scene.expect(RACE_RAW);
    }
  }
}
