package org.vramkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.sim.Scene.SIZE;
import static org.vramkit.sim.hazard.HazardCode.DOUBLE_FREE;
import static org.vramkit.sim.hazard.HazardCode.EARLY_REUSE;
import static org.vramkit.sim.hazard.HazardCode.OUT_OF_BOUNDS;
import static org.vramkit.sim.hazard.HazardCode.OVERLAPPING_BLOCKS;
import static org.vramkit.sim.hazard.HazardCode.RECORD_AFTER_FREE;
import static org.vramkit.sim.hazard.HazardCode.USE_AFTER_FREE;

import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.sim.hazard.HazardReport;
import org.vramkit.sim.hazard.Owner;

@DisplayName("Hazards: blocks that a pool hands out again")
class PoolHazardsTest {

  @Test
  @DisplayName("8 a block reused while a stream that nobody recorded still reads it")
  void reuseUnderReader() {
    try (Scene scene = new Scene()) {
      scene.handOut(scene.block, SIZE, scene.s1);
      scene.write(scene.s1);
      scene.order(scene.s1, scene.s2);
      scene.read(scene.s2);
      scene.takeBack(scene.block, scene.s1);
      scene.handOut(scene.block, SIZE, scene.s1);
      HazardReport report = scene.expect(EARLY_REUSE).get(0);
      assertTrue(report.remedy().contains("record the use"), report.remedy());
      Owner now = Objects.requireNonNull(report.memory());
      Owner last = Objects.requireNonNull(report.previous());
      assertEquals(now.id(), last.id() + 1);
      assertEquals("pool free", Objects.requireNonNull(last.freed()).operation());
      assertNull(now.freed());
      assertEquals("kernel read", Objects.requireNonNull(report.earlier()).operation());
      assertEquals(0, report.getOffset());
    }
  }

  @Test
  @DisplayName("8, twin: with an edge back from the reader before the free")
  void readerJoined() {
    try (Scene scene = new Scene()) {
      scene.handOut(scene.block, SIZE, scene.s1);
      scene.write(scene.s1);
      scene.order(scene.s1, scene.s2);
      scene.read(scene.s2);
      scene.order(scene.s2, scene.s1);
      scene.takeBack(scene.block, scene.s1);
      scene.handOut(scene.block, SIZE, scene.s1);
      scene.write(scene.s1);
      scene.expect();
    }
  }

  @Test
  @DisplayName("9 with the use recorded and waited for by the pool the reuse is in order")
  void recordedUse() {
    try (Scene scene = new Scene()) {
      scene.handOut(scene.block, SIZE, scene.s1);
      scene.write(scene.s1);
      scene.order(scene.s1, scene.s2);
      scene.read(scene.s2);
      scene.device.getMemoryObserver().used(scene.block, scene.s2);
      scene.takeBack(scene.block, scene.s1);
      scene.order(scene.s2, scene.s1);
      scene.handOut(scene.block, SIZE, scene.s1);
      scene.write(scene.s1);
      scene.expect();
    }
  }

  @Test
  @DisplayName("9 a use recorded after the free comes too late")
  void recordedTooLate() {
    try (Scene scene = new Scene()) {
      scene.handOut(scene.block, SIZE, scene.s1);
      scene.write(scene.s1);
      scene.takeBack(scene.block, scene.s1);
      scene.device.getMemoryObserver().used(scene.block, scene.s2);
      scene.expect(RECORD_AFTER_FREE);
    }
  }

  @Test
  @DisplayName("9 a recorded use that the pool ignores is an early reuse, even without an access")
  void recordedUseIgnored() {
    try (Scene scene = new Scene()) {
      scene.handOut(scene.block, SIZE, scene.s1);
      scene.write(scene.s2, scene.device.getMemory().allocate(SIZE), SIZE);
      scene.device.getMemoryObserver().used(scene.block, scene.s2);
      scene.takeBack(scene.block, scene.s1);
      scene.handOut(scene.block, SIZE, scene.s1);
      scene.expect(EARLY_REUSE);
    }
  }

  @Test
  @DisplayName(
      "10 a block taken by another stream before its free is marked is found by order alone")
  void publishedTooEarly() {
    try (Scene scene = new Scene();
        SimEvent mark = scene.device.createEvent()) {
      mark.record(scene.s1);
      scene.handOut(scene.block, SIZE, scene.s1);
      scene.write(scene.s1);
      scene.takeBack(scene.block, scene.s1);
      // In this run the work is long over; the rules still do not say so.
      scene.backend.advance(100 * Scene.KERNEL_NANOS);
      scene.s2.waitFor(mark);
      scene.handOut(scene.block, SIZE, scene.s2);
      scene.expect(EARLY_REUSE);
    }
  }

  @Test
  @DisplayName("10, twin: marked after the free, the block may change streams")
  void publishedAfterMark() {
    try (Scene scene = new Scene()) {
      scene.handOut(scene.block, SIZE, scene.s1);
      scene.write(scene.s1);
      scene.takeBack(scene.block, scene.s1);
      scene.order(scene.s1, scene.s2);
      scene.handOut(scene.block, SIZE, scene.s2);
      scene.write(scene.s2);
      scene.expect();
    }
  }

  @Test
  @DisplayName("11 a merged range keeps the dependency of each part: the donor is named")
  void droppedDependency() {
    try (Scene scene = new Scene()) {
      long half = SIZE / 2;
      scene.handOut(scene.block, half, scene.s1);
      scene.handOut(scene.block + half, half, scene.s2);
      scene.write(scene.s1, scene.block, half);
      scene.write(scene.s2, scene.block + half, half);
      scene.takeBack(scene.block, scene.s1);
      scene.takeBack(scene.block + half, scene.s2);
      scene.order(scene.s1, scene.s3);
      scene.handOut(scene.block, SIZE, scene.s3);
      HazardReport report = scene.expect(EARLY_REUSE).get(0);
      String donor = Long.toHexString(scene.s2.getHandle());
      assertTrue(
          Objects.requireNonNull(report.earlier()).stream().contains(donor), report.toString());
    }
  }

  @Test
  @DisplayName("11, twin: with both donors waited for")
  void bothDependencies() {
    try (Scene scene = new Scene()) {
      long half = SIZE / 2;
      scene.handOut(scene.block, half, scene.s1);
      scene.handOut(scene.block + half, half, scene.s2);
      scene.write(scene.s1, scene.block, half);
      scene.write(scene.s2, scene.block + half, half);
      scene.takeBack(scene.block, scene.s1);
      scene.takeBack(scene.block + half, scene.s2);
      scene.order(scene.s1, scene.s3);
      scene.order(scene.s2, scene.s3);
      scene.handOut(scene.block, SIZE, scene.s3);
      scene.write(scene.s3);
      scene.expect();
    }
  }

  @Test
  @DisplayName("15 a block given back twice")
  void doubleFree() {
    try (Scene scene = new Scene()) {
      scene.handOut(scene.block, SIZE, scene.s1);
      scene.takeBack(scene.block, scene.s1);
      scene.takeBack(scene.block, scene.s1);
      scene.expect(DOUBLE_FREE);
    }
  }

  @Test
  @DisplayName("15 a block handed out to two owners at once")
  void twoOwners() {
    try (Scene scene = new Scene()) {
      scene.handOut(scene.block, SIZE, scene.s1);
      scene.handOut(scene.block + 512, 512, scene.s1);
      scene.expect(OVERLAPPING_BLOCKS);
    }
  }

  @Test
  @DisplayName(
      "15 work on a block that its owner has given back, though the segment is still there")
  void useAfterFree() {
    try (Scene scene = new Scene()) {
      scene.handOut(scene.block, SIZE, scene.s1);
      scene.takeBack(scene.block, scene.s1);
      scene.write(scene.s1);
      scene.expect(USE_AFTER_FREE);
    }
  }

  @Test
  @DisplayName("17 one byte past what was asked for, inside the rounded block")
  void slack() {
    try (Scene scene = new Scene()) {
      scene.handOut(scene.block, 500, scene.s1);
      scene.write(scene.s1, scene.block, 501);
      scene.expect(OUT_OF_BOUNDS);
    }
  }

  @Test
  @DisplayName("17 past the block into its neighbour")
  void neighbour() {
    try (Scene scene = new Scene()) {
      scene.handOut(scene.block, 512, scene.s1);
      scene.handOut(scene.block + 512, 512, scene.s1);
      scene.write(scene.s1, scene.block, 513);
      scene.expect(OUT_OF_BOUNDS);
    }
  }

  @Test
  @DisplayName("17, twin: exactly what was asked for")
  void exact() {
    try (Scene scene = new Scene()) {
      scene.handOut(scene.block, 500, scene.s1);
      scene.handOut(scene.block + 512, 512, scene.s1);
      scene.write(scene.s1, scene.block, 500);
      scene.write(scene.s1, scene.block + 512, 512);
      scene.expect();
    }
  }
}
