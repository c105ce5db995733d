package org.vramkit.partition.scatter;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.partition.scatter.Gpus.assertClean;
import static org.vramkit.partition.scatter.Gpus.backend;
import static org.vramkit.partition.scatter.Squares.UNITS;
import static org.vramkit.partition.scatter.Squares.expected;
import static org.vramkit.partition.scatter.Squares.squares;
import static org.vramkit.partition.scatter.Squares.squaresOnCpu;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.partition.device.DevicePool;
import org.vramkit.partition.plan.BudgetTooSmallException;
import org.vramkit.sim.SimBackend;

@DisplayName("S5: a scatter where memory is short")
class ScatterMemoryTest {
  @Test
  @DisplayName("14 a budget below one unit: the CPU, or an error with bytes needed and available")
  void budgetBelowOneUnitIsRefused() {
    try (SimBackend backend = backend(2);
        Scatter scatter =
            Scatter.builder(DevicePool.of(backend)).bytesPerUnit(5 * ByteSize.GIB).build()) {
      int[] result = new int[UNITS];
      assertTrue(scatter.run(UNITS, squaresOnCpu(result), squares(result)).onCpu());
      assertArrayEquals(expected(), result);
      BudgetTooSmallException e =
          assertThrows(BudgetTooSmallException.class, () -> scatter.run(1, squares(result)));
      assertEquals(4 * ByteSize.GIB, e.getAvailableBytes());
      assertEquals(5 * ByteSize.GIB, e.getRequestedBytes());
    }
  }

  @Test
  @DisplayName("13 tiles that do not fit at once are done in rounds")
  void tilesBeyondMemoryGoInRounds() {
    try (SimBackend backend = backend(2);
        Scatter scatter =
            Scatter.builder(DevicePool.of(backend)).bytesPerUnit(40 * ByteSize.MIB).build()) {
      int[] result = new int[UNITS];
      ScatterReport report = scatter.run(UNITS, squares(result));
      assertArrayEquals(expected(), result);
      assertTrue(report.tiles().size() > 2, report.toString());
      assertClean(backend);
    }
  }

  @Test
  @DisplayName("16 memory that is gone by the time of the run halves the tile until it fits")
  void lostMemoryHalvesTiles() {
    try (SimBackend backend = backend(1);
        Scatter scatter = Scatter.over(DevicePool.of(backend))) {
      assertTrue(backend.getDevice(0).occupy(7 * ByteSize.GIB));
      List<Long> sizes = new ArrayList<>();
      ScatterReport report =
          scatter.run(
              16,
              tile -> {
                long bytes = tile.getTile().getUnits() * 256 * ByteSize.MIB;
                long memory = tile.getDevice().getMemory().allocate(bytes);
                sizes.add(tile.getTile().getUnits());
                tile.getDevice().getMemory().free(memory);
              });
      assertEquals(List.of(4L, 4L, 4L, 4L), sizes);
      assertEquals(3, report.halvings());
      assertClean(backend);
      backend.getDevice(0).vacate(7 * ByteSize.GIB);
    }
  }

  @Test
  @DisplayName("16, 14 one unit that does not fit ends in the CPU, not in endless halving")
  void oneUnitTooLargeGoesToTheCpu() {
    try (SimBackend backend = backend(2);
        Scatter scatter = Scatter.over(DevicePool.of(backend))) {
      int[] result = new int[UNITS];
      TileTask greedy = tile -> tile.getDevice().getMemory().allocate(9 * ByteSize.GIB);
      ScatterReport report = scatter.run(UNITS, squaresOnCpu(result), greedy);
      assertTrue(report.onCpu());
      assertTrue(report.reason().contains("out of memory"), report.reason());
      assertArrayEquals(expected(), result);
      ScatterException e = assertThrows(ScatterException.class, () -> scatter.run(UNITS, greedy));
      assertInstanceOf(DeviceOutOfMemoryException.class, e.getCause());
      assertClean(backend);
    }
  }
}
