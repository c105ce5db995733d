package org.vramkit.agent;

import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.device.Backend;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;
import org.vramkit.api.device.VirtualMemory;
import org.vramkit.api.discovery.Backends;
import org.vramkit.api.error.GpuException;
import org.vramkit.sim.hazard.Strictness;
import org.vramkit.testkit.sim.LeakPolicy;
import org.vramkit.testkit.sim.SimulatedGpu;

@SimulatedCuda
@SimulatedGpu(
    devices = 2,
    leaks = LeakPolicy.ALLOW,
    recording = false,
    strictness = Strictness.LENIENT)
@DisplayName("A program with two devices")
class SeveralDevicesTest {
  @Test
  @DisplayName("gives both access to mapped memory by one call, and takes it from one of them")
  void access() {
    try (Backend backend = Backends.open("javacpp")) {
      Device first = backend.getDevice(0);
      Device second = backend.getDevice(1);
      VirtualMemory memory = first.getVirtualMemory();
      long page = memory.getGranularity();
      long address = memory.reserve(page);
      long handle = memory.create(page);
      memory.map(address, page, handle);
      memory.setAccess(address, page, List.of(first, second));
      try (Stream ours = first.createStream();
          Stream theirs = second.createStream()) {
        theirs.fill(address, (byte) 1, page);
        theirs.synchronize();
        memory.removeAccess(address, page, second);
        ours.fill(address, (byte) 2, page);
        ours.synchronize();
        assertThrows(GpuException.class, () -> theirs.fill(address, (byte) 3, page));
        CudaProcess.get().backend.clearHazards();
      }
      memory.unmap(address, page);
      memory.release(handle);
      memory.unreserve(address, page);
    }
  }
}
