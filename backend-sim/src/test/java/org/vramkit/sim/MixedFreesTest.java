package org.vramkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.sim.Scene.SIZE;

import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.vramkit.api.device.DriverPool;
import org.vramkit.api.device.StreamOrderedMemory;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.sim.hazard.CheckerOptions;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.hazard.Strictness;

@DisplayName("CUDA frees memory by either call, whichever allocated it:")
class MixedFreesTest {
  private final Scene scene = new Scene();
  private final StreamOrderedMemory ordered = scene.device.getStreamOrderedMemory();
  private final long free = scene.device.getMemoryInfo().freeBytes();

  @AfterEach
  void end() {
    scene.end();
    assertEquals(List.of(), scene.backend.getLeaks());
    scene.close();
  }

  private void expectAllFree() {
    scene.device.synchronize();
    assertEquals(free, scene.device.getMemoryInfo().freeBytes());
  }

  private long plainBlock() {
    return scene.device.getMemory().allocate(SIZE);
  }

  @Test
  @Tag("virtual-time")
  @DisplayName("plain memory in stream order: when the host has waited for its stream")
  void plainInOrder() {
    long block = scene.device.getMemory().allocate(4 << 20);
    SimGate gate = scene.backend.createGate("gate");
    scene.s1.waitFor(gate);
    scene.write(scene.s1, block, SIZE);
    ordered.free(block, scene.s1);
    assertTrue(scene.device.getMemoryInfo().freeBytes() < free, "the stream has not come to it");
    gate.open();
    scene.backend.advance(1_000_000);
    assertTrue(scene.s1.isIdle());
    assertTrue(scene.device.getMemoryInfo().freeBytes() < free, "the host has only asked");
    scene.expect();
    expectAllFree();
  }

  @Test
  @DisplayName("plain memory in the order of a stream that did not wait for another one is a race")
  void plainOutOfOrder() {
    long block = plainBlock();
    scene.write(scene.s1, block, SIZE);
    ordered.free(block, scene.s2);
    scene.expect(HazardCode.FREE_RACE);
    expectAllFree();
  }

  @Test
  @DisplayName("plain memory that was freed in stream order is not to be used or freed again")
  void plainAfterwards() {
    long block = plainBlock();
    ordered.free(block, scene.s1);
    scene.read(scene.s1, block, SIZE);
    assertThrows(InvalidArgumentException.class, () -> ordered.free(block, scene.s1));
    assertThrows(InvalidArgumentException.class, () -> scene.device.getMemory().free(block));
    scene.expect(HazardCode.USE_AFTER_FREE, HazardCode.DOUBLE_FREE, HazardCode.DOUBLE_FREE);
    expectAllFree();
  }

  @Test
  @DisplayName("a plain free of it is refused before the driver, also after a wait")
  void plainAgain() {
    for (boolean waits : new boolean[] {false, true}) {
      long block = plainBlock();
      ordered.free(block, scene.s1);
      if (waits) {
        scene.s1.synchronize();
      }
      InvalidArgumentException refusal =
          assertThrows(InvalidArgumentException.class, () -> scene.device.getMemory().free(block));
      assertEquals(0, refusal.getStatus().code());
    }
    scene.expect(HazardCode.DOUBLE_FREE, HazardCode.DOUBLE_FREE);
    expectAllFree();
  }

  @Test
  @DisplayName("a plain free of a pool's memory after a host wait returns it to the pool")
  void pooledPlainly() {
    try (DriverPool pool = scene.device.getDriverPools().create(0)) {
      pool.setReleaseThreshold(Long.MAX_VALUE);
      long block = pool.allocate(SIZE, scene.s1);
      scene.write(scene.s1, block, SIZE);
      scene.s1.synchronize();
      scene.device.getMemory().free(block);
      assertEquals(SIZE, pool.getStatistics().usedBytes(), "the driver goes on to count it");
      long reserved = pool.getStatistics().reservedBytes();
      long again = pool.allocate(SIZE, scene.s2);
      assertEquals(reserved, pool.getStatistics().reservedBytes(), "the same memory serves again");
      scene.write(scene.s2, again, SIZE);
      pool.free(again, scene.s2);
    }
    scene.expect();
    expectAllFree();
  }

  @ParameterizedTest
  @EnumSource(Strictness.class)
  @DisplayName(
      "a plain free of a pool's memory under work is a hazard, because no driver waits for the"
          + " work")
  void pooledUnderWork(Strictness strictness) {
    try (Scene strict = new Scene(1, CheckerOptions.DEFAULT.withStrictness(strictness))) {
      long block = strict.device.getStreamOrderedMemory().allocate(SIZE, strict.s1);
      strict.s1.synchronize();
      strict.write(strict.s1, block, SIZE);
      strict.device.getMemory().free(block);
      strict.expect(HazardCode.FREE_IN_FLIGHT);
    }
  }

  @Test
  @DisplayName(
      "a plain free of a pool's memory before its stream reaches the allocation is a hazard")
  void pooledTooEarly() {
    long block = ordered.allocate(SIZE, scene.s1);
    scene.device.getMemory().free(block);
    scene.expect(HazardCode.FREE_BEFORE_ALLOC);
    expectAllFree();
  }

  @Test
  @DisplayName("memory of one pool freed through another returns to its own pool")
  void throughAnotherPool() {
    try (DriverPool pool = scene.device.getDriverPools().create(0)) {
      long block = pool.allocate(SIZE, scene.s1);
      long other = pool.allocate(SIZE, scene.s1);
      ordered.free(other, scene.s1);
      assertEquals(SIZE, pool.getStatistics().usedBytes());
      ordered.free(block, scene.s1);
    }
    scene.expect();
    expectAllFree();
  }
}
