package org.vramkit.pool.driverpool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.Capability;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.error.NotSupportedException;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimEvent;
import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.hazard.HazardReport;

@DisplayName("Memory of a DriverPoolAllocator under work of another device")
class DriverPoolPeersTest {
  private final SimBackend backend =
      SimBackend.builder()
          .device(DeviceProfile.SMALL_8GIB)
          .device(DeviceProfile.SMALL_8GIB)
          .build();
  private final SimDevice owner = backend.getDevice(0);
  private final SimDevice peer = backend.getDevice(1);
  private final SimStream here = owner.createStream();
  private final SimStream there = peer.createStream();

  @AfterEach
  void close() {
    here.close();
    there.close();
    assertEquals(List.of(), backend.getLeaks());
    backend.close();
  }

  /** A block is written by its own device and read by the other, in order by events. */
  private List<HazardReport> share(DriverPoolAllocatorBuilder builder) {
    try (DriverPoolAllocator allocator = builder.build();
        SimEvent written = owner.createEvent();
        SimEvent read = peer.createEvent();
        Allocation block = allocator.allocate(4096, here)) {
      here.fill(block.getAddress(), (byte) 1, 4096);
      written.record(here);
      there.waitFor(written);
      there.launch(SimKernel.named("read").reads(block.getAddress(), 4096).build());
      read.record(there);
      here.waitFor(read);
    }
    return backend.getHazards();
  }

  @Test
  @DisplayName("is right where the pool is accessible from it, own device and repetitions included")
  void accessible() {
    assertEquals(
        List.of(), share(DriverPoolAllocator.builder(owner).accessibleFrom(peer, owner, peer)));
  }

  @Test
  @DisplayName("is a fault where it is not, whether or not peers are enabled, and says how")
  void notAccessible() {
    peer.getPeerAccess().enable(owner);
    HazardReport report = share(DriverPoolAllocator.builder(owner)).get(0);
    assertEquals(HazardCode.PEER_NOT_ENABLED, report.code());
    assertTrue(report.remedy().contains("accessibleFrom(device 1)"), report.remedy());
  }

  @Test
  @DisplayName("cannot be of another backend")
  void otherBackend() {
    try (SimBackend other = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build()) {
      DriverPoolAllocatorBuilder builder = DriverPoolAllocator.builder(owner);
      SimDevice stranger = other.getDevice(0);
      assertThrows(InvalidArgumentException.class, () -> builder.accessibleFrom(stranger));
    }
  }

  @Test
  @DisplayName("cannot be of a device that is no peer; no pool is left behind")
  void noPeer() {
    DeviceProfile alone =
        DeviceProfile.builder("alone")
            .from(DeviceProfile.SMALL_8GIB)
            .without(Capability.PEER_ACCESS)
            .build();
    try (SimBackend pair =
        SimBackend.builder().device(DeviceProfile.SMALL_8GIB).device(alone).build()) {
      DriverPoolAllocatorBuilder builder =
          DriverPoolAllocator.builder(pair.getDevice(0)).accessibleFrom(pair.getDevice(1));
      assertThrows(NotSupportedException.class, builder::build);
      assertEquals(List.of(), pair.getLeaks());
    }
  }
}
