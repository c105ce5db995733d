package org.vramkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.vramkit.sim.hazard.HazardCode.DOUBLE_FREE;
import static org.vramkit.sim.hazard.HazardCode.OUT_OF_BOUNDS;
import static org.vramkit.sim.hazard.HazardCode.STALE_HANDLE;
import static org.vramkit.sim.hazard.HazardCode.USE_AFTER_FREE;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.sim.hazard.HazardReport;
import org.vramkit.sim.hazard.Owner;

/** Memory of a pool, in pieces of 512 bytes; whole blocks have 8 of them. */
@DisplayName("Blocks of a pool whose memory is handed out again in parts")
class StaleBlocksTest {
  private static final long PIECE = Scene.SIZE / 8;

  private static void freedWhole(Scene scene) {
    scene.handOut(scene.block, Scene.SIZE, scene.s1);
    scene.write(scene.s1);
    scene.takeBack(scene.block, scene.s1);
  }

  private static void assertOwned(long bytes, HazardReport report) {
    Owner owner = report.memory();
    assertNotNull(owner);
    assertEquals(bytes, owner.bytes());
  }

  @Test
  @DisplayName("13 use after free of the end of a block whose beginning has a new owner")
  void beginningReused() {
    try (Scene scene = new Scene()) {
      freedWhole(scene);
      scene.handOut(scene.block, PIECE, scene.s1);
      scene.write(scene.s1, scene.block + 2 * PIECE, PIECE);
      HazardReport report = scene.expect(USE_AFTER_FREE).get(0);
      assertOwned(Scene.SIZE, report);
      assertFalse(report.missing().contains("belongs to"), report.missing());
    }
  }

  @Test
  @DisplayName("13 use after free of both ends of a block whose middle had another owner since")
  void middleReused() {
    try (Scene scene = new Scene()) {
      freedWhole(scene);
      scene.handOut(scene.block + 3 * PIECE, PIECE, scene.s1);
      scene.takeBack(scene.block + 3 * PIECE, scene.s1);
      scene.write(scene.s1, scene.block + 6 * PIECE, PIECE);
      assertOwned(Scene.SIZE, scene.expect(USE_AFTER_FREE).get(0));
      scene.write(scene.s1, scene.block + 3 * PIECE, PIECE);
      scene.write(scene.s1, scene.block + PIECE, PIECE);
      assertOwned(PIECE, scene.expect(USE_AFTER_FREE, USE_AFTER_FREE, USE_AFTER_FREE).get(1));
    }
  }

  @Test
  @DisplayName("15 a double free, also after the end of the block had another owner")
  void freedTwice() {
    try (Scene scene = new Scene()) {
      freedWhole(scene);
      scene.handOut(scene.block + 4 * PIECE, 4 * PIECE, scene.s1);
      scene.takeBack(scene.block, scene.s1);
      scene.expect(DOUBLE_FREE);
    }
  }

  @Test
  @DisplayName("17 an access that begins in slack and runs into a block: how far before it")
  void underrun() {
    try (Scene scene = new Scene()) {
      scene.handOut(scene.block + PIECE, PIECE, scene.s1);
      scene.write(scene.s1, scene.block + PIECE - 1, PIECE);
      HazardReport report = scene.expect(OUT_OF_BOUNDS).get(0);
      assertEquals(scene.block + PIECE, report.address());
      assertEquals(PIECE - 1, report.bytes());
      scene.write(scene.s1, scene.block, 8 * PIECE);
      scene.expect(OUT_OF_BOUNDS, OUT_OF_BOUNDS);
    }
  }

  @Test
  @DisplayName("17, twin: memory of the segment beside the blocks")
  void besideBlocks() {
    try (Scene scene = new Scene()) {
      scene.handOut(scene.block + PIECE, PIECE, scene.s1);
      scene.write(scene.s1, scene.block, PIECE);
      scene.write(scene.s1, scene.block + PIECE, PIECE);
      scene.write(scene.s1, scene.block + 2 * PIECE, PIECE);
      scene.expect();
    }
  }

  @Test
  @DisplayName("15 a stale handle, also where another device freed as much in between")
  void otherDevice() {
    try (Scene scene = new Scene()) {
      long elsewhere = scene.other.getMemory().allocate(Scene.SIZE);
      scene.device.getMemory().free(scene.block);
      scene.other.getMemory().free(elsewhere);
      scene.device.getMemory().allocate(Scene.SIZE);
      assertThrows(
          InvalidArgumentException.class, () -> scene.device.getMemory().free(scene.block));
      scene.expect(STALE_HANDLE);
    }
  }
}
