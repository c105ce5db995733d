package org.vramkit.partition.scatter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.partition.scatter.Gpus.assertClean;
import static org.vramkit.partition.scatter.Gpus.backend;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.DriverStatus;
import org.vramkit.api.units.ByteSize;
import org.vramkit.partition.device.DevicePool;
import org.vramkit.partition.plan.BudgetTooSmallException;
import org.vramkit.partition.plan.Tile;
import org.vramkit.sim.SimBackend;

@DisplayName("Guided scatter where memory is short")
@SuppressWarnings("try") // scatters are closed early, so that leaks show
class GuidedMemoryTest {
  private static final int UNITS = 1000;

  @Test
  @DisplayName("16 a chunk that finds no memory continues in halves, and later chunks fit")
  void chunkWithoutMemoryIsHalved() {
    try (SimBackend backend = backend(2);
        Scatter scatter = Scatter.over(DevicePool.of(backend))) {
      Units units = new Units(UNITS);
      ScatterReport report =
          scatter.run(
              UNITS,
              Schedule.guided().withMinChunkSize(100),
              tile -> {
                if (tile.getTile().getUnits() > 7) {
                  throw new DeviceOutOfMemoryException(1, DriverStatus.NONE);
                }
                units.add(tile.getTile());
              });
      units.assertEachOnce("halves");
      // Halved to 50, 25, 12 and 6, and once more for the chunk of the other lane.
      assertTrue(report.halvings() >= 4 && report.halvings() <= 20, "" + report.halvings());
      assertEquals(List.of(), scatter.getQuarantined());
      assertClean(backend);
    }
  }

  @Test
  @DisplayName("16 one unit that finds no memory on a device goes to others, then to the CPU")
  void unitWithoutMemoryGoesToOthers() {
    try (SimBackend backend = backend(3);
        Scatter scatter = Scatter.over(DevicePool.of(backend))) {
      Units units = new Units(UNITS);
      Set<Integer> tried = ConcurrentHashMap.newKeySet();
      ScatterReport report =
          scatter.run(
              UNITS,
              Schedule.guided(),
              units::add,
              tile -> {
                Tile own = tile.getTile();
                if (own.from() <= 7 && 7 < own.to()) {
                  if (own.getUnits() == 1) {
                    tried.add(own.ordinal());
                  }
                  throw new DeviceOutOfMemoryException(1, DriverStatus.NONE);
                }
                units.add(own);
              });
      units.assertEachOnce("no memory");
      assertEquals(Set.of(0, 1, 2), tried);
      assertTrue(report.tiles().contains(new Tile(Tile.CPU, 7, 8)), report.tiles().toString());
      assertEquals(List.of(), scatter.getQuarantined());
    }
  }

  @Test
  @DisplayName("13, 14 chunks fit two at a time into the budget; a device without is not asked")
  void chunksFitTwiceIntoTheBudget() {
    try (SimBackend backend = backend(2);
        Scatter scatter =
            Scatter.builder(DevicePool.of(backend)).bytesPerUnit(ByteSize.GIB).build();
        Scatter tooBig =
            Scatter.builder(DevicePool.of(backend)).bytesPerUnit(5 * ByteSize.GIB).build();
        Scatter single =
            Scatter.builder(DevicePool.of(backend)).bytesPerUnit(3 * ByteSize.GIB).build()) {
      long taken = backend.getDevice(1).getMemory().allocate(7 * ByteSize.GIB + ByteSize.MIB);
      Units units = new Units(UNITS);
      ScatterReport report =
          scatter.run(
              UNITS,
              Schedule.guided(),
              tile -> {
                assertEquals(0, tile.getTile().ordinal());
                assertTrue(tile.getTile().getUnits() <= 2);
                units.add(tile.getTile());
              });
      units.assertEachOnce("budget");
      assertEquals(0, report.halvings());
      // Room for one unit: one chunk at a time.
      AtomicInteger atOnce = new AtomicInteger();
      single.run(
          20,
          Schedule.guided(),
          tile -> {
            assertEquals(1, atOnce.incrementAndGet());
            atOnce.decrementAndGet();
          });
      BudgetTooSmallException e =
          assertThrows(
              BudgetTooSmallException.class, () -> tooBig.run(9, Schedule.guided(), tile -> {}));
      assertTrue(e.toString().contains("5.00 GiB"), e.toString());
      backend.getDevice(1).getMemory().free(taken);
      assertClean(backend);
    }
  }
}
