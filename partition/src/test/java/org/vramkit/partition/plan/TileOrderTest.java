package org.vramkit.partition.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.vramkit.partition.device.DevicePool;
import org.vramkit.sim.SimBackend;

@DisplayName("S5.3: tiles in the order of devices")
class TileOrderTest {

  private static DevicePool pool(SimBackend backend, double... scores) {
    return DevicePool.of(backend.getDevices(), device -> scores[device.getOrdinal()]);
  }

  @Test
  @DisplayName("17.25 the best device has the first units, whatever its ordinal")
  void bestDeviceFirst() {
    try (SimBackend backend = PlannerTest.backend(3)) {
      assertEquals(
          List.of(new Tile(1, 50, 56), new Tile(2, 56, 59), new Tile(0, 59, 60)),
          Planner.DEFAULT.plan(pool(backend, 1, 6, 3), 50, 10).getTiles());
    }
  }

  @Test
  @DisplayName(
      "4, 17.25 fewer units than devices: the fastest do one each, the others have no tile")
  void fewerUnitsThanDevices() {
    try (SimBackend backend = PlannerTest.backend(8)) {
      assertEquals(
          List.of(new Tile(7, 0, 1), new Tile(6, 1, 2), new Tile(5, 2, 3)),
          Planner.DEFAULT.plan(pool(backend, 1, 2, 3, 4, 5, 6, 7, 8), 3).getTiles());
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {53, 1753})
  @DisplayName("17.25 within a round, tiles follow the pool's order, for any scores")
  void poolOrder(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    try (SimBackend backend = PlannerTest.backend(6)) {
      for (int i = 0; i < 200; i++) {
        DevicePool pool = pool(backend, random.doubles(6, 1, 10).toArray());
        List<Tile> tiles = Planner.DEFAULT.plan(pool, 1000).getTiles();
        assertEquals(
            pool.getOrdinals(),
            tiles.stream().map(Tile::ordinal).toList(),
            "seed " + seed + ", case " + i);
      }
    }
  }
}
