package org.vramkit.partition.scatter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.partition.scatter.Gpus.assertClean;
import static org.vramkit.partition.scatter.Gpus.backend;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.partition.device.DevicePool;
import org.vramkit.sim.SimBackend;

@DisplayName("S5.6: scatters inside tiles")
class NestingTest {

  @Test
  @DisplayName("23 a scatter that comes back to its own workers through another one is refused")
  void throughAnother() {
    try (SimBackend backend = backend(2);
        Scatter scatter = Scatter.over(DevicePool.of(backend));
        Scatter second = Scatter.over(DevicePool.of(backend))) {
      IllegalStateException e =
          assertThrows(
              IllegalStateException.class,
              () ->
                  scatter.run(2, outer -> second.run(2, inner -> scatter.run(2, innermost -> {}))));
      assertTrue(e.toString().contains("second Scatter"), e.toString());
      // The workers forget the nesting of a tile when it ends.
      AtomicInteger calls = new AtomicInteger();
      scatter.run(2, outer -> second.run(2, inner -> calls.incrementAndGet()));
      second.run(2, outer -> scatter.run(2, inner -> calls.incrementAndGet()));
      assertEquals(8, calls.get());
      assertClean(backend);
    }
  }
}
