package org.vramkit.partition.scatter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.DeviceBinding;
import org.vramkit.api.device.HostEdge;
import org.vramkit.partition.plan.Tile;

@DisplayName("S5: a tile goes from its caller to its worker and back")
class HandOverTest {

  /** Records which threads publish and receive. */
  private record Heard(List<String> calls) implements HostEdge {
    @Override
    public void publish() {
      calls.add(Thread.currentThread().getName() + " publishes");
    }

    @Override
    public void receive() {
      calls.add(Thread.currentThread().getName() + " receives");
    }
  }

  @Test
  @DisplayName("17.25 completed work is handed over in both directions, before and after the task")
  void edges() throws InterruptedException {
    List<String> calls = new CopyOnWriteArrayList<>();
    Device device = Gpus.device(() -> {}, new Heard(calls));
    TileTask task = tile -> calls.add(Thread.currentThread().getName() + " works");
    Thread.currentThread().setName("caller");
    TileRun run =
        new TileRun(new Tile(0, 0, 1), 0, device, each -> DeviceBinding.NONE, task, new Progress());
    Thread worker = new Thread(run, "worker");
    worker.start();
    worker.join();
    run.finish();
    assertEquals(
        List.of(
            "caller publishes",
            "worker receives",
            "worker works",
            "worker publishes",
            "caller receives"),
        calls);
  }

  @Test
  @DisplayName("17, 22 a tile that has returned, or was withdrawn, cannot be abandoned")
  void notAbandoned() {
    TileRun returned = idle();
    returned.run();
    assertFalse(returned.abandon());
    TileRun withdrawn = idle();
    withdrawn.withdraw();
    assertFalse(withdrawn.abandon());
  }

  private static TileRun idle() {
    Device device = Gpus.device(() -> {});
    return new TileRun(
        new Tile(0, 0, 1), 0, device, each -> DeviceBinding.NONE, tile -> {}, new Progress());
  }
}
