package org.vramkit.pressure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.vramkit.pressure.Scene.MIB;
import static org.vramkit.pressure.Scene.says;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.error.CaptureException;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimEvent;
import org.vramkit.sim.SimStream;

@DisplayName("57.6 A spill store beside a capture of another device, which a stream has joined")
class SpillJoinedCaptureTest {
  private final Scene scene =
      new Scene(
          SimBackend.builder()
              .device(DeviceProfile.SMALL_8GIB)
              .device(DeviceProfile.SMALL_8GIB)
              .build());
  private final SimDevice elsewhere = scene.gpu.getDevice(1);
  private final SimStream origin = elsewhere.createStream();
  private final SimStream joined = scene.device.createStream();
  private final SimStream other = scene.device.createStream();
  private final SimEvent fork = elsewhere.createEvent();
  private final SimEvent join = scene.device.createEvent();
  private final SpillStore store = SpillStore.over(scene.allocator).hostLimit(4 * MIB).build();
  private final Spillable one = store.create(MIB, 0);

  @AfterEach
  void nothingIsLost() {
    one.close();
    store.close();
    origin.close();
    joined.close();
    other.close();
    fork.close();
    join.close();
    scene.close();
  }

  private void fill(SimStream stream) {
    try (SpillableLease lease = one.materialize(stream)) {
      stream.fill(lease.getAddress(), (byte) 1, lease.getSize());
    }
  }

  @Test
  @DisplayName("57.6 refuses a lease on that stream, and spills and leases on others meanwhile")
  void beside() {
    fill(other);
    elsewhere.getGraphs().beginCapture(origin);
    fork.record(origin);
    joined.waitFor(fork);
    says(
        "materialize it on another stream before the capture",
        assertThrows(CaptureException.class, () -> one.materialize(joined)));
    assertEquals(MIB, store.spill(MIB));
    fill(other);
    join.record(joined);
    origin.waitFor(join);
    elsewhere.getGraphs().endCapture(origin).close();
  }

  @Test
  @DisplayName("57.6 of whose device no stream has joined spills, leases and closes meanwhile")
  void alone() {
    elsewhere.getGraphs().beginCapture(origin);
    spillAndClose();
    elsewhere.getGraphs().endCapture(origin).close();
  }

  @Test
  @DisplayName("57.6 closes on the thread that captures a stream of its own device")
  void ownDevice() {
    scene.device.getGraphs().beginCapture(joined);
    spillAndClose();
    scene.device.getGraphs().endCapture(joined).close();
  }

  @Test
  @DisplayName("42.23, 57.6 refuses to close once it is broken, and closes after the capture")
  void broken() {
    SpillStore brief = SpillStore.over(scene.allocator).hostLimit(4 * MIB).build();
    Spillable spillable = brief.create(MIB, 0);
    spillable.materialize(other).close();
    brief.lock.brokenBy = new StackOverflowError("planned");
    scene.device.getGraphs().beginCapture(joined);
    says("end the capture, and close again", assertThrows(CaptureException.class, brief::close));
    scene.device.getGraphs().endCapture(joined).close();
    brief.close();
    spillable.close();
  }

  private void spillAndClose() {
    try (SpillStore brief = SpillStore.over(scene.allocator).hostLimit(4 * MIB).build();
        Spillable spilled = brief.create(MIB, 0)) {
      try (SpillableLease lease = spilled.materialize(other)) {
        other.fill(lease.getAddress(), (byte) 1, lease.getSize());
      }
      assertEquals(MIB, brief.spill(MIB));
      try (SpillableLease lease = spilled.materialize(other)) {
        other.fill(lease.getAddress(), (byte) 1, lease.getSize());
      }
      assertEquals(MIB, brief.spill(MIB));
    }
  }
}
