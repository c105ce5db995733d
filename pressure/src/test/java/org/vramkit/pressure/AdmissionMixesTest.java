package org.vramkit.pressure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.driver.CostModel;
import org.vramkit.sim.hazard.CheckerOptions;
import org.vramkit.sim.schedule.Schedule;

@DisplayName("45.1 Jobs of random mixes, in virtual time")
@Tag("own-schedules")
class AdmissionMixesTest {
  @Test
  @DisplayName(
      "45.1 never run out of memory, wait no longer than those before them take, and use at least"
          + " nine tenths of what the best packing known offline uses")
  void mixes() {
    run(100);
  }

  @Test
  @Tag("soak")
  @DisplayName("45.1 do so in ten thousand mixes")
  void manyMixes() {
    run(10_000);
  }

  private static void run(int mixes) {
    try (SimBackend gpu =
        SimBackend.builder()
            .device(DeviceProfile.SMALL_8GIB)
            .schedule(Schedule.timed())
            .costModel(CostModel.FREE)
            .checker(CheckerOptions.OFF)
            .bytes(false)
            .build()) {
      try (CachingAllocator allocator = CachingAllocator.create(gpu.getDevice(0))) {
        Admission gate = Admission.over(allocator).build();
        long capacity = gate.getStatistics().capacityBytes();
        double sum = 0;
        double least = 1;
        for (long seed = 0; seed < mixes; seed++) {
          double used;
          try {
            used = new Mix(seed, gpu, capacity).run(gate);
          } catch (RuntimeException | AssertionError e) {
            throw new AssertionError("mix of seed " + seed, e);
          }
          sum += used;
          least = Math.min(least, used);
        }
        System.out.printf(
            "admission: %.4f of the best offline packing on average, at least %.4f, in %d mixes%n",
            sum / mixes, least, mixes);
        assertTrue(sum / mixes >= 0.9, sum / mixes + " on average, at least " + least);
        assertEquals(0, gate.getStatistics().grantedBytes());
        assertEquals(0, allocator.getStatistics().getLiveBytes());
      }
      assertEquals(0, gpu.getLeaks().size());
    }
  }
}
