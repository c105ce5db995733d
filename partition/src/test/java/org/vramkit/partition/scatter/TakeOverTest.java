package org.vramkit.partition.scatter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.partition.scatter.Gpus.assertClean;
import static org.vramkit.partition.scatter.Gpus.backend;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.error.FatalDeviceException;
import org.vramkit.partition.device.DevicePool;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.driver.Fault;

@DisplayName("S5: the CPU takes over")
class TakeOverTest {

  @Test
  @DisplayName("19 a GPU that fails when it is asked for its memory is a GPU that failed")
  void failsInPlan() {
    try (SimBackend backend = backend(2);
        Scatter scatter = Scatter.builder(DevicePool.of(backend)).bytesPerUnit(1).build()) {
      AtomicInteger onCpu = new AtomicInteger();
      backend.getFaults().failNext("cuMemGetInfo", Fault.FATAL);
      ScatterReport report =
          scatter.run(
              10,
              (from, to) -> onCpu.incrementAndGet(),
              tile -> {
                throw new AssertionError("called");
              });
      assertTrue(report.onCpu());
      assertEquals(1, onCpu.get());
      assertTrue(report.reason().contains("restart the process"), report.reason());
      ScatterException e = assertThrows(ScatterException.class, () -> scatter.run(10, tile -> {}));
      assertInstanceOf(FatalDeviceException.class, e.getCause());
      assertClean(backend);
    }
  }
}
