package org.vramkit.pool.caching.statistics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.vramkit.pool.caching.Sandbox.MIB;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.VirtualMemoryUse;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimStream;

/** Two devices of one backend with an allocator each, driven at random; closing demands no leak. */
final class DevicePair implements AutoCloseable {

  /** One device, its allocator, and what the model says of them. */
  private static final class Side {
    final SimDevice device;
    final SimStream stream;
    final CachingAllocator allocator;
    final long usedBefore;
    final List<Allocation> held = new ArrayList<>();
    long requested;

    Side(SimDevice device, VirtualMemoryUse use) {
      this.device = device;
      this.stream = device.createStream();
      this.usedBefore = device.getMemoryInfo().getUsedBytes();
      this.allocator = CachingAllocator.builder(device).virtualMemory(use).clock(() -> 0).build();
    }

    void check() {
      AllocatorStatistics now = allocator.getStatistics();
      assertEquals(requested, now.requested().current(), "requested");
      assertEquals(held.size(), now.allocations().current(), "allocations");
      assertEquals(
          device.getMemoryInfo().getUsedBytes() - usedBefore, now.reserved().current(), "reserved");
    }
  }

  private final SimBackend backend =
      SimBackend.builder()
          .device(DeviceProfile.SMALL_8GIB)
          .device(DeviceProfile.SMALL_8GIB)
          .build();
  private final SplittableRandom random;
  private final List<Side> sides;

  DevicePair(VirtualMemoryUse use, long seed) {
    random = new SplittableRandom(seed);
    sides = List.of(new Side(backend.getDevice(0), use), new Side(backend.getDevice(1), use));
  }

  /** Does something on one device, and finds every figure of the other as it was. */
  void step() {
    int which = random.nextInt(2);
    Side side = sides.get(which);
    Side other = sides.get(1 - which);
    AllocatorStatistics before = other.allocator.getStatistics();
    if (random.nextInt(20) == 0) {
      side.allocator.emptyCache();
    } else if (random.nextInt(5) < 3 || side.held.isEmpty()) {
      long bytes = random.nextLong(1, 4 * MIB);
      side.held.add(side.allocator.allocate(bytes, side.stream));
      side.requested += bytes;
    } else {
      Allocation freed = side.held.remove(random.nextInt(side.held.size()));
      side.requested -= freed.getSize();
      freed.close();
    }
    side.check();
    assertEquals(before, other.allocator.getStatistics(), "figures of the other device");
  }

  void allocateOnForeignStream() {
    sides.get(0).allocator.allocate(MIB, sides.get(1).stream).close();
  }

  @Override
  public void close() {
    for (Side side : sides) {
      side.held.forEach(Allocation::close);
      side.allocator.close();
      side.stream.close();
    }
    assertEquals(List.of(), backend.getHazards(), "hazards");
    assertEquals(List.of(), backend.getLeaks(), "leaks");
  }
}
