package org.vramkit.pool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.decorator.TrackingAllocator;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.hazard.CheckerOptions;
import org.vramkit.sim.hazard.HazardReport;

@DisplayName("Reports on memory of decorated allocators")
class DecoratedReportsTest {
  @ParameterizedTest
  @ValueSource(ints = {0, 4, 30})
  @DisplayName("have the user's lines below however many decorators")
  void userLines(int decorators) {
    try (SimBackend backend =
        SimBackend.builder()
            .device(DeviceProfile.SMALL_8GIB)
            .checker(CheckerOptions.DEFAULT.withStacks(true))
            .build()) {
      SimDevice device = backend.getDevice(0);
      SimStream owner = device.createStream();
      SimStream user = device.createStream();
      try (CachingAllocator memory = CachingAllocator.create(device)) {
        Allocation block = decorated(memory, decorators).allocate(4096, owner);
        owner.fill(block.getAddress(), (byte) 0, 4096);
        owner.synchronize();
        user.launch(SimKernel.named("use").reads(block.getAddress(), 4096).build());
        block.close();
        user.synchronize();
      }
      assertEquals(1, backend.getHazardCount());
      HazardReport report = backend.getHazards().get(0);
      long lines =
          report.toString().lines().filter(line -> line.contains("at " + userLine())).count();
      assertTrue(lines >= 3, report::toString);
      owner.close();
      user.close();
      assertEquals(0, backend.getLeaks().size());
    }
  }

  private static String userLine() {
    return DecoratedReportsTest.class.getName() + ".userLines";
  }

  private static Allocator decorated(Allocator memory, int decorators) {
    Allocator allocator = memory;
    for (int i = 0; i < decorators; i++) {
      allocator = TrackingAllocator.withStacks(allocator);
    }
    return allocator;
  }
}
