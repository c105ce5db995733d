package org.vramkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.sim.Scene.SIZE;
import static org.vramkit.sim.hazard.HazardCode.EARLY_REUSE;

import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.sim.hazard.HazardReport;
import org.vramkit.sim.hazard.Owner;

@DisplayName("Reports of blocks that a pool reuses")
class PoolHazardsTest {

  @Test
  @DisplayName("8 a block reused while a recorded stream still reads it")
  void reuseUnderReader() {
    try (Scene scene = new Scene()) {
      scene.handOut(scene.block, SIZE, scene.s1);
      scene.write(scene.s1);
      scene.order(scene.s1, scene.s2);
      scene.read(scene.s2);
      scene.recordUse(scene.block, scene.s2);
      scene.takeBack(scene.block, scene.s1);
      scene.handOut(scene.block, SIZE, scene.s1);
      HazardReport report = scene.expect(EARLY_REUSE).get(0);
      assertTrue(report.remedy().contains("record the use"), report.remedy());
      Owner now = Objects.requireNonNull(report.memory());
      Owner last = Objects.requireNonNull(report.previous());
      assertEquals(now.id(), last.id() + 1);
      assertEquals("pool free", Objects.requireNonNull(last.freed()).operation());
      assertNull(now.freed());
      assertEquals("recorded use", Objects.requireNonNull(report.earlier()).operation());
      assertEquals(0, report.getOffset());
    }
  }

  @Test
  @DisplayName(
      "8 a block is closed while a stream reads it without a recorded use: one" + " report")
  void closedUnderReader() {
    try (Scene scene = new Scene()) {
      scene.handOut(scene.block, SIZE, scene.s1);
      scene.write(scene.s1);
      scene.order(scene.s1, scene.s2);
      scene.read(scene.s2);
      scene.takeBack(scene.block, scene.s1);
      scene.device.synchronize();
      scene.handOut(scene.block, SIZE, scene.s1);
      HazardReport report = scene.expect(EARLY_REUSE).get(0);
      assertTrue(
          report.missing().endsWith(" used it (operation 6), not recorded"), report.missing());
      assertTrue(report.remedy().contains("recordUse"), report.remedy());
      assertEquals("pool free", report.later().operation());
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
}
