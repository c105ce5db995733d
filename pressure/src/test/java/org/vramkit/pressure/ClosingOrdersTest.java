package org.vramkit.pressure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.driver.CostModel;

@DisplayName("Everything that holds memory, opened and closed in any order with blocks alive,")
@Tag("own-schedules")
class ClosingOrdersTest {
  @Test
  @DisplayName("reserves at most twice the peak and 64 MiB at each step, and nothing at the end")
  void orders() {
    run(10);
  }

  @Test
  @Tag("soak")
  @DisplayName("does so in a thousand orders")
  void manyOrders() {
    run(1000);
  }

  private static void run(int orders) {
    int refused = 0;
    for (long seed = 0; seed < orders; seed++) {
      try (SimBackend gpu =
          SimBackend.builder()
              .device(DeviceProfile.SMALL_8GIB)
              .costModel(CostModel.FREE)
              .bytes(false)
              .seed(seed)
              .build()) {
        refused += new ClosingOrder(seed, gpu).run();
        assertEquals(List.of(), gpu.getLeaks());
        assertEquals(List.of(), gpu.getHazards());
      } catch (RuntimeException | AssertionError e) {
        throw new AssertionError("order of seed " + seed, e);
      }
    }
    assertTrue(refused > orders, "only " + refused + " closes came before what they wait for");
  }
}
