package org.vramkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.sim.Scene.SIZE;
import static org.vramkit.sim.hazard.HazardCode.FREE_IN_FLIGHT;
import static org.vramkit.sim.hazard.HazardCode.RACE_RAW;
import static org.vramkit.sim.hazard.HazardCode.RELIES_ON_FREE_SYNC;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.sim.hazard.AccessKind;
import org.vramkit.sim.hazard.CheckerOptions;
import org.vramkit.sim.hazard.HazardReport;
import org.vramkit.sim.hazard.Strictness;

@DisplayName("Hazards: plain frees taken for barriers")
class FreeSyncTest {
  private static final CheckerOptions LENIENT =
      CheckerOptions.DEFAULT.withStrictness(Strictness.LENIENT);

  @Test
  @DisplayName("22 a read that only a plain free in between puts in order names the free, once")
  void reliesOnFree() {
    try (Scene scene = new Scene()) {
      long scratch = scene.device.getMemory().allocate(SIZE);
      long other = scene.device.getMemory().allocate(SIZE);
      scene.write(scene.s1);
      scene.write(scene.s1, other, SIZE);
      scene.device.getMemory().free(scratch);
      scene.read(scene.s2);
      scene.write(scene.s2, other, SIZE);
      HazardReport report = scene.expect(RELIES_ON_FREE_SYNC).get(0);
      assertTrue(report.missing().contains(Long.toHexString(scratch)), report.missing());
    }
  }

  @Test
  @DisplayName("22 a free before the write, or of another device's memory, explains nothing")
  void freeElsewhere() {
    try (Scene scene = new Scene()) {
      scene.device.getMemory().free(scene.device.getMemory().allocate(SIZE));
      scene.write(scene.s1);
      scene.other.getMemory().free(scene.other.getMemory().allocate(SIZE));
      scene.read(scene.s2);
      scene.expect(RACE_RAW);
    }
  }

  @Test
  @DisplayName("22 a free of memory that only a third stream used is no barrier of these two")
  void unrelatedFree() {
    try (Scene scene = new Scene()) {
      long scratch = scene.device.getMemory().allocate(SIZE);
      scene.write(scene.s3, scratch, SIZE);
      scene.s3.synchronize();
      scene.write(scene.s1);
      scene.device.getMemory().free(scratch);
      scene.read(scene.s2);
      scene.expect(RACE_RAW);
    }
  }

  @Test
  @DisplayName(
      "22 of several frees, the report names the free of the memory that the earlier stream used")
  void relatedFree() {
    try (Scene scene = new Scene()) {
      long scratch = scene.device.getMemory().allocate(SIZE);
      long other = scene.device.getMemory().allocate(SIZE);
      scene.write(scene.s1, scratch, SIZE);
      scene.s1.synchronize();
      scene.write(scene.s1);
      scene.device.getMemory().free(scratch);
      scene.device.getMemory().free(other);
      scene.read(scene.s2);
      HazardReport report = scene.expect(RELIES_ON_FREE_SYNC).get(0);
      assertTrue(report.missing().contains(Long.toHexString(scratch)), report.missing());
    }
  }

  @Test
  @DisplayName("22 a free after the later operation was submitted comes too late")
  void freeTooLate() {
    try (Scene scene = new Scene()) {
      scene.write(scene.s1);
      scene.read(scene.s2);
      scene.device.getMemory().free(scene.device.getMemory().allocate(SIZE));
      scene.expect(RACE_RAW);
    }
  }

  @Test
  @DisplayName("22, twin: lenient, the free waits for the device, as the driver does in fact")
  void lenient() {
    try (Scene scene = new Scene(1, LENIENT)) {
      long scratch = scene.device.getMemory().allocate(SIZE);
      scene.write(scene.s1);
      scene.device.getMemory().free(scratch);
      scene.read(scene.s2);
      scene.expect();
    }
  }

  @Test
  @DisplayName("22, twin: with a wait in place of the free")
  void waits() {
    try (Scene scene = new Scene()) {
      long scratch = scene.device.getMemory().allocate(SIZE);
      scene.write(scene.s1);
      scene.s1.synchronize();
      scene.device.getMemory().free(scratch);
      scene.read(scene.s2);
      scene.expect();
    }
  }

  @Test
  @DisplayName("22 freed memory that is in use: strict a hazard, lenient none")
  void freeInFlight() {
    try (Scene strict = new Scene();
        Scene lenient = new Scene(1, LENIENT)) {
      strict.write(strict.s1);
      strict.device.getMemory().free(strict.block);
      strict.expect(FREE_IN_FLIGHT);
      lenient.write(lenient.s1);
      lenient.device.getMemory().free(lenient.block);
      lenient.expect();
    }
  }

  /** Closes page-locked memory under a copy, with a plain free in between. */
  private static long closeAfterFree(Scene scene) {
    PinnedBuffer buffer = scene.device.getPinnedMemory().allocate(SIZE);
    buffer.hostWrites(0, SIZE);
    scene.s1.copyToDevice(scene.block, buffer, 0, SIZE);
    long scratch = scene.device.getMemory().allocate(SIZE);
    scene.device.getMemory().free(scratch);
    buffer.close();
    return scratch;
  }

  @ParameterizedTest
  @DisplayName("22 page-locked memory closed under a copy that only a plain free waits for")
  @EnumSource(names = {"STRICT", "PEDANTIC"})
  void closeReliesOnFree(Strictness strictness) {
    try (Scene scene = new Scene(1, CheckerOptions.DEFAULT.withStrictness(strictness))) {
      long scratch = closeAfterFree(scene);
      HazardReport report = scene.expect(RELIES_ON_FREE_SYNC).get(0);
      assertTrue(report.missing().contains(Long.toHexString(scratch)), report.missing());
      assertTrue(report.remedy().contains("LENIENT"), report.remedy());
      assertEquals(AccessKind.FREE, report.later().kind());
    }
  }

  @Test
  @DisplayName("22, twin: lenient, the free has waited for the copy before the close")
  void lenientClose() {
    try (Scene scene = new Scene(1, LENIENT)) {
      closeAfterFree(scene);
      scene.expect();
    }
  }
}
