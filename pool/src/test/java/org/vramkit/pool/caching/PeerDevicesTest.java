package org.vramkit.pool.caching;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.sim.hazard.HazardCode.ACCESS_NOT_MAPPED;
import static org.vramkit.sim.hazard.HazardCode.PEER_NOT_ENABLED;

import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimEvent;
import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.hazard.HazardReport;

@DisplayName("Memory of one device under work of another")
class PeerDevicesTest {
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
  private List<HazardReport> share(UnaryOperator<CachingAllocatorBuilder> settings) {
    try (CachingAllocator allocator = settings.apply(CachingAllocator.builder(owner)).build();
        SimEvent written = owner.createEvent();
        SimEvent read = peer.createEvent()) {
      try (Allocation block = allocator.allocate(4096, here)) {
        here.fill(block.getAddress(), (byte) 1, 4096);
        written.record(here);
        there.waitFor(written);
        there.launch(SimKernel.named("read").reads(block.getAddress(), 4096).build());
        read.record(there);
        here.waitFor(read);
      }
    }
    return backend.getHazards();
  }

  @Test
  @DisplayName("is right over pages that are accessible from it, and peers need not be enabled")
  void accessible() {
    assertEquals(List.of(), share(builder -> builder.accessibleFrom(peer)));
  }

  @Test
  @DisplayName("is right if the option is given as text, own device and repetitions included")
  void accessibleByText() {
    assertEquals(List.of(), share(builder -> builder.set("accessible-from", "1, 0,1")));
    assertEquals(List.of(), share(b -> b.set("accessible-from", "1").set("virtual-memory", "on")));
  }

  @Test
  @DisplayName("is a fault over pages that are not, whether or not peers are enabled, and says how")
  void notAccessible() {
    List<HazardReport> reports = share(builder -> builder);
    assertEquals(List.of(PEER_NOT_ENABLED), reports.stream().map(HazardReport::code).toList());
    assertTrue(
        reports.get(0).remedy().contains("accessibleFrom(device 1)"), reports.get(0).remedy());
    backend.clearHazards();
    peer.getPeerAccess().enable(owner);
    reports = share(builder -> builder);
    assertEquals(List.of(ACCESS_NOT_MAPPED), reports.stream().map(HazardReport::code).toList());
    assertTrue(
        reports.get(0).remedy().contains("accessibleFrom(device 1)"), reports.get(0).remedy());
    assertTrue(String.valueOf(reports.get(0).memory()).contains("block"), reports.toString());
  }

  @Test
  @DisplayName("is a matter of peer access without virtual memory")
  void segments() {
    UnaryOperator<CachingAllocatorBuilder> segments =
        builder -> builder.virtualMemory(VirtualMemoryUse.OFF);
    List<HazardReport> reports = share(segments);
    assertEquals(List.of(PEER_NOT_ENABLED), reports.stream().map(HazardReport::code).toList());
    assertTrue(
        reports.get(0).remedy().contains("getPeerAccess().enable(device 0)"),
        reports.get(0).remedy());
    backend.clearHazards();
    peer.getPeerAccess().enable(owner);
    assertEquals(List.of(), share(segments));
  }

  @Test
  @DisplayName("cannot be recorded by a stream of the other device; the refusal names the event")
  void recordUse() {
    try (CachingAllocator allocator = CachingAllocator.create(owner);
        Allocation block = allocator.allocate(4096, here)) {
      String message =
          assertThrows(InvalidArgumentException.class, () -> block.recordUse(there)).getMessage();
      assertTrue(String.valueOf(message).contains("record an event on that stream"), message);
    }
  }

  @Test
  @DisplayName("cannot be of another backend")
  void otherBackend() {
    try (SimBackend other = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build()) {
      CachingAllocatorBuilder builder = CachingAllocator.builder(owner);
      SimDevice stranger = other.getDevice(0);
      assertThrows(InvalidArgumentException.class, () -> builder.accessibleFrom(stranger));
    }
  }
}
