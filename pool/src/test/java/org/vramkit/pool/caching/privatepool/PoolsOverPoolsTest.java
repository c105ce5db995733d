package org.vramkit.pool.caching.privatepool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.vramkit.pool.caching.Sandbox.MIB;

import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.device.Device;
import org.vramkit.pool.EveryAllocator;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.PrivatePool;
import org.vramkit.pool.caching.PrivatePoolOptions;
import org.vramkit.pool.caching.Sandbox;
import org.vramkit.pool.caching.SegmentSource;
import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.hazard.HazardReport;

@DisplayName("17.12 A private pool over another allocator")
class PoolsOverPoolsTest {

  private static void write(Allocation allocation, SimStream stream) {
    stream.launch(
        SimKernel.named("write").writes(allocation.getAddress(), allocation.getSize()).build());
  }

  @ParameterizedTest
  @MethodSource(EveryAllocator.SOURCE)
  @DisplayName("gives no report, and the other one has all of its memory back in the end")
  void inOrder(Function<Device, Allocator> open) {
    try (Sandbox box = Sandbox.standard();
        Allocator upstream = open.apply(box.device)) {
      SimStream other = box.newStream();
      PrivatePool pool =
          box.allocator.createPool(
              PrivatePoolOptions.DEFAULT.withSource(new AllocatorSource(upstream, box.stream)));
      Allocator inner = pool.getAllocator();
      for (int round = 0; round < 3; round++) {
        List<Allocation> blocks =
            IntStream.range(1, 40).mapToObj(i -> inner.allocate(i * 100_000L, box.stream)).toList();
        blocks.forEach(each -> write(each, box.stream));
        try (Allocation shared = inner.allocate(MIB, box.stream)) {
          write(shared, box.stream);
          box.busy(other, shared, 1_000);
          shared.recordUse(other);
        }
        blocks.forEach(Allocation::close);
        try (Allocation elsewhere = inner.allocate(3 * MIB, other)) {
          write(elsewhere, other);
        }
        inner.trim(0);
        assertEquals(0, upstream.getStatistics().allocations().current());
      }
      pool.close();
    }
  }

  @Test
  @DisplayName("over a third one: each block belongs to the innermost")
  void threeLevels() {
    try (Sandbox box = Sandbox.standard();
        CachingAllocator lowest = CachingAllocator.create(box.device);
        CachingAllocator middle = CachingAllocator.create(box.device)) {
      PrivatePool between =
          middle.createPool(
              PrivatePoolOptions.DEFAULT.withSource(new AllocatorSource(lowest, box.stream)));
      PrivatePool pool =
          box.allocator.createPool(
              PrivatePoolOptions.DEFAULT.withSource(
                  new AllocatorSource(between.getAllocator(), box.stream)));
      try (Allocation block = pool.getAllocator().allocate(MIB, box.stream)) {
        write(block, box.stream);
      }
      pool.close();
      between.close();
    }
  }

  @Test
  @DisplayName("gives a report where a user's stream was not recorded, of the innermost block")
  void earlyReuse() {
    try (Sandbox box = Sandbox.standard();
        CachingAllocator upstream = CachingAllocator.create(box.device)) {
      SimStream other = box.newStream();
      PrivatePool pool =
          box.allocator.createPool(
              PrivatePoolOptions.DEFAULT.withSource(new AllocatorSource(upstream, box.stream)));
      Allocation block = pool.getAllocator().allocate(4096, box.stream);
      box.busy(other, block, 1_000);
      block.close();
      pool.getAllocator().allocate(4096, box.stream).close();
      HazardReport report = box.backend.getHazards().get(0);
      assertEquals(HazardCode.EARLY_REUSE, report.code());
      assertEquals(4096, Objects.requireNonNull(report.memory()).bytes());
      box.backend.clearHazards();
      other.synchronize();
      pool.close();
    }
  }

  @Test
  @DisplayName("keeps a segment that its source fails to take back, and gives it back later")
  void refusedFree() {
    try (Sandbox box = Sandbox.standard();
        CachingAllocator upstream = CachingAllocator.create(box.device)) {
      AllocatorSource willing = new AllocatorSource(upstream, box.stream);
      boolean[] refuses = {true};
      PrivatePool pool =
          box.allocator.createPool(
              PrivatePoolOptions.DEFAULT.withSource(
                  new SegmentSource() {
                    @Override
                    public long allocate(long bytes) {
                      return willing.allocate(bytes);
                    }

                    @Override
                    public void free(long address, long bytes) {
                      if (refuses[0]) {
                        throw new IllegalStateException("not now");
                      }
                      willing.free(address, bytes);
                    }
                  }));
      Allocator inner = pool.getAllocator();
      inner.allocate(4096, box.stream).close();
      assertThrows(IllegalStateException.class, () -> inner.trim(0));
      try (Allocation again = inner.allocate(4096, box.stream)) {
        write(again, box.stream);
      }
      refuses[0] = false;
      pool.close();
    }
  }
}
