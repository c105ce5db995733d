package org.vramkit.pool;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.device.Device;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;

@DisplayName("17.11 An allocator over a closed simulator")
class AllocatorAfterBackendTest {

  private static void use(Allocation block, SimStream stream) {
    stream.launch(SimKernel.named("use").writes(block.getAddress(), block.getSize()).build());
  }

  @ParameterizedTest
  @MethodSource(EveryAllocator.SOURCE)
  @DisplayName("closes, and so do its allocations before it, recorded uses or none")
  void closes(Function<Device, Allocator> open) {
    SimBackend gpu = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build();
    SimDevice device = gpu.getDevice(0);
    SimStream stream = device.createStream();
    SimStream other = device.createStream();
    Allocator allocator = open.apply(device);
    Allocation cached = allocator.allocate(5 << 20, stream);
    use(cached, stream);
    cached.close();
    Allocation live = allocator.allocate(4096, stream);
    use(live, stream);
    Allocation shared = allocator.allocate(4096, stream);
    shared.recordUse(other);
    Allocation pending = allocator.allocate(4096, stream);
    pending.recordUse(other);
    pending.close();
    gpu.close();
    live.close();
    shared.close();
    allocator.trim(0);
    allocator.close();
    stream.close();
    other.close();
    assertEquals(List.of(), gpu.getHazards());
    assertEquals(List.of(), gpu.getWarnings());
    assertEquals(List.of(), gpu.getLeaks());
  }
}
