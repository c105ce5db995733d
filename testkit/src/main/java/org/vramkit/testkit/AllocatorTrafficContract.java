package org.vramkit.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.api.device.Stream;
import org.vramkit.api.units.ByteSize;

/** Tests random allocations from several threads. */
interface AllocatorTrafficContract extends AllocatorContext {

  @Test
  @DisplayName("R8 4 threads x 100 random sizes on the default and on own streams all succeed")
  default void manyThreads() throws InterruptedException {
    RandomThreads.run(
        random -> {
          try (Stream own = getDevice().createStream()) {
            for (int i = 0; i < 100; i++) {
              Stream stream = random.nextBoolean() ? own : getDevice().getDefaultStream();
              long bytes = random.nextLong(1, 5 * ByteSize.MIB);
              try (Allocation block = getAllocator().allocate(bytes, stream)) {
                stream.fill(block.getAddress(), (byte) i, bytes);
              }
            }
          }
        });
    assertNothingLive();
  }

  @Test
  @DisplayName("9 blocks keep their bytes under random traffic of threads, streams and trims")
  default void contentsStayIntact() throws InterruptedException {
    RandomThreads.run(
        random -> {
          try (TrafficDriver driver = new TrafficDriver(getAllocator(), random)) {
            for (int i = 0; i < 1_500; i++) {
              driver.step();
            }
          }
        });
    assertNothingLive();
  }

  private void assertNothingLive() {
    getDevice().synchronize();
    getAllocator().trim(0);
    AllocatorStatistics statistics = getAllocator().getStatistics();
    assertEquals(0, statistics.allocations().current(), () -> "" + statistics);
    assertEquals(0, statistics.requested().current(), () -> "" + statistics);
    assertEquals(0, statistics.reserved().current(), () -> "" + statistics);
  }
}
