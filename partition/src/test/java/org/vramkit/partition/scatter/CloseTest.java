package org.vramkit.partition.scatter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.vramkit.partition.scatter.Gpus.assertClean;
import static org.vramkit.partition.scatter.Gpus.backend;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.DriverException;
import org.vramkit.partition.device.DevicePool;
import org.vramkit.sim.SimBackend;

@DisplayName("S5: close of a scatter")
class CloseTest {

  @Test
  @DisplayName("Closed while a tile runs: it moves to no device that has no worker yet")
  void noNewWorker() {
    List<Integer> begun = new CopyOnWriteArrayList<>();
    try (SimBackend backend = backend(2)) {
      Scatter scatter =
          Scatter.builder(DevicePool.of(backend))
              .failurePolicy(FailurePolicy.MOVE_TILE)
              .drainDeadline(Duration.ofMillis(10))
              .build();
      assertThrows(
          ClosedException.class,
          () ->
              scatter.run(
                  1,
                  tile -> {
                    begun.add(tile.getDevice().getOrdinal());
                    // From inside a tile the close cannot wait for that tile.
                    assertThrows(ScatterException.class, scatter::close);
                    throw new DriverException("sick");
                  }));
      assertEquals(List.of(0), begun);
      scatter.close();
      assertClean(backend);
    }
  }

  @Test
  @DisplayName("Workers that are closed take nothing, for no device")
  void closedWorkers() {
    Workers workers = new Workers();
    workers.close(Duration.ofSeconds(1));
    assertThrows(RejectedExecutionException.class, () -> workers.submit(0, () -> {}));
  }
}
