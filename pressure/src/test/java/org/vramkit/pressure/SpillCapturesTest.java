package org.vramkit.pressure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.pressure.Scene.MIB;
import static org.vramkit.pressure.Scene.says;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.device.Graphs;
import org.vramkit.api.error.CaptureException;
import org.vramkit.sim.SimStream;

@DisplayName("45.2 A spill store beside a capture")
class SpillCapturesTest {
  private final Scene scene = new Scene(64);
  private final SimStream captured = scene.device.createStream();
  private final SimStream other = scene.device.createStream();
  private final SpillStore store = SpillStore.over(scene.allocator).hostLimit(4 * MIB).build();
  private final Graphs graphs = scene.device.getGraphs();
  private final Spillable one = store.create(MIB, 0);
  private final Spillable two = store.create(MIB, 1);

  @AfterEach
  void nothingIsLost() {
    one.close();
    two.close();
    store.close();
    captured.close();
    other.close();
    scene.close();
  }

  private static void fill(Spillable spillable, SimStream stream) {
    try (SpillableLease lease = spillable.materialize(stream)) {
      stream.fill(lease.getAddress(), (byte) 1, lease.getSize());
    }
  }

  @Test
  @DisplayName("45.2 refuses a lease on the captured stream, and the capture stays valid")
  void refuses() {
    fill(one, other);
    graphs.beginCapture(captured);
    says(
        "materialize it on another stream before the capture",
        assertThrows(CaptureException.class, () -> one.materialize(captured)));
    says(
        "keep the lease open",
        assertThrows(CaptureException.class, () -> two.materialize(captured)));
    graphs.endCapture(captured).close();
    fill(one, captured);
  }

  @Test
  @DisplayName("45.2 leases and spills on other streams meanwhile")
  void meanwhile() {
    fill(one, captured);
    graphs.beginCapture(captured);
    fill(two, other);
    fill(one, other);
    assertEquals(2 * MIB, store.spill(2 * MIB));
    fill(one, other);
    fill(two, other);
    graphs.endCapture(captured).close();
    assertEquals(2 * MIB, store.spill(2 * MIB));
  }

  @Test
  @DisplayName("45.2 a lease of the captured stream that ends meanwhile keeps its bytes in place")
  void endsMeanwhile() {
    SpillableLease lease = one.materialize(captured);
    captured.fill(lease.getAddress(), (byte) 1, MIB);
    fill(two, other);
    graphs.beginCapture(captured);
    captured.fill(lease.getAddress(), (byte) 2, MIB);
    lease.close();
    assertEquals(MIB, store.spill(2 * MIB));
    assertTrue(one.isOnDevice());
    says("end the capture", assertThrows(CaptureException.class, () -> one.materialize(other)));
    says("end the capture", assertThrows(CaptureException.class, one::close));
    graphs.endCapture(captured).close();
    fill(one, other);
    assertEquals(MIB, store.spill(MIB));
    fill(one, other);
  }
}
