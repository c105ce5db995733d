package org.vramkit.partition.scatter;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.HostEdge;

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
  void edges() {
    List<String> calls = new CopyOnWriteArrayList<>();
    Device device = Gpus.device(() -> {}, new Heard(calls));
    TileTask task = tile -> calls.add(Thread.currentThread().getName() + " works");
    Thread.currentThread().setName("caller");
    try (Scatter scatter = Gpus.scatter(device)) {
      scatter.run(1, task);
    }
    assertEquals(
        List.of(
            "caller publishes",
            "vramkit-scatter-device-0 receives",
            "vramkit-scatter-device-0 works",
            "vramkit-scatter-device-0 publishes",
            "caller receives"),
        calls.subList(0, 5));
  }
}
