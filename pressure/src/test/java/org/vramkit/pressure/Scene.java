package org.vramkit.pressure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;

/**
 * A simulated device with an allocator. The close checks that nothing is live or leaked and that
 * there was no race.
 */
final class Scene implements AutoCloseable {
  static final long MIB = ByteSize.MIB;

  final SimBackend gpu;
  final SimDevice device;
  final CachingAllocator allocator;

  /** Creates a device with this memory. */
  Scene(long mebibytes) {
    this(
        SimBackend.builder()
            .device(
                DeviceProfile.builder("small")
                    .from(DeviceProfile.SMALL_8GIB)
                    .memory(mebibytes * MIB)
                    .build())
            .build());
  }

  Scene(SimBackend gpu) {
    this.gpu = gpu;
    this.device = gpu.getDevice(0);
    this.allocator = CachingAllocator.create(device);
  }

  /** Checks that a message contains a text. */
  static void says(String what, @Nullable Throwable error) {
    assertTrue(String.valueOf(error).contains(what), String.valueOf(error));
  }

  @Override
  public void close() {
    String seed = "seed " + gpu.getSeed() + " on " + gpu.getSchedule();
    assertEquals(0, allocator.getStatistics().requested().current(), "live, " + seed);
    allocator.close();
    gpu.close();
    assertEquals(List.of(), gpu.getLeaks(), seed);
    assertEquals(List.of(), gpu.getHazards(), seed);
  }
}
