package org.vramkit.pool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Graph;
import org.vramkit.api.error.CaptureException;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimStream;

@DisplayName("42.20 A thread that captures a stream")
class CapturingThreadTest {
  @ParameterizedTest
  @MethodSource(EveryAllocator.SOURCE)
  @DisplayName("42.20 may allocate, close, trim and close the allocator for other streams")
  void forOtherStreams(Function<Device, Allocator> open) {
    try (SimBackend gpu = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build()) {
      SimDevice device = gpu.getDevice(0);
      SimStream captured = device.createStream();
      SimStream stream = device.createStream();
      Allocator allocator = open.apply(device);
      Allocation before = allocator.allocate(5000, stream);
      stream.fill(before.getAddress(), (byte) 1, 5000);
      device.getGraphs().beginCapture(captured);
      assertThrows(CaptureException.class, () -> allocator.allocate(5000, captured));
      allocator.allocate(7000, stream).close();
      before.close();
      allocator.trim(0);
      try {
        allocator.close();
      } catch (CaptureException waitsForTheDevice) {
        assertEquals(0, allocator.getStatistics().getLiveBytes());
      }
      Graph graph = device.getGraphs().endCapture(captured);
      graph.launch(captured);
      graph.close();
      allocator.close();
      List.of(captured, stream).forEach(SimStream::close);
      assertEquals(List.of(), gpu.getHazards());
      assertEquals(List.of(), gpu.getLeaks());
    }
  }
}
