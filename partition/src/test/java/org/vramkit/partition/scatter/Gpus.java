package org.vramkit.partition.scatter;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.driver.CostModel;

/** Simulated GPUs to scatter over. */
final class Gpus {
  private Gpus() {}

  static SimBackend backend(int devices) {
    SimBackend.Builder builder = SimBackend.builder().costModel(CostModel.FREE);
    for (int i = 0; i < devices; i++) {
      builder.device(DeviceProfile.SMALL_8GIB);
    }
    return builder.build();
  }

  static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  static void assertClean(SimBackend backend) {
    assertEquals(List.of(), backend.getHazards(), "hazards");
    assertEquals(List.of(), backend.getLeaks(), "leaks");
  }
}
