package org.vramkit.pool.caching.size;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.pool.caching.Sandbox.MIB;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.AllocatorOutOfMemoryException;
import org.vramkit.pool.caching.Sandbox;
import org.vramkit.pool.caching.VirtualMemoryUse;

@DisplayName("18.3 Small blocks in parts of large extents")
class PartsOfExtentsTest {
  private static final long LIMIT = 4096 * MIB;

  @ParameterizedTest(name = "{0} MiB of large blocks, one small one in {1} kept, move-time={2}")
  @CsvSource({
    "1024, 16, 0.005",
    "1920, 16, 0.005",
    "1920, 64, 0",
    "2048, 16, 0",
    "3072, 16, 0.005",
    "3968, 16, 0.005",
    "3968, 64, 0",
  })
  @DisplayName("keep at most a third of the memory from a large request that comes later")
  void bounded(int large, int oneIn, double share) {
    try (Sandbox box = Sandbox.uncached(VirtualMemoryUse.ON, b -> b.moveTime(share).limit(LIMIT))) {
      List<Allocation> first = new ArrayList<>();
      for (int i = 0; i < large / 128; i++) {
        first.add(box.allocator.allocate(128 * MIB, box.stream));
      }
      first.forEach(Allocation::close);
      List<Allocation> small = new ArrayList<>();
      for (int i = 0; i < large / 2; i++) {
        small.add(box.allocator.allocate(2 * MIB, box.stream));
      }
      long live = 0;
      for (int i = 0; i < small.size(); i++) {
        if (i % oneIn == 0) {
          live += small.get(i).getSize();
        } else {
          small.get(i).close();
        }
      }
      long wanted = LIMIT / 3 * 2 - live;
      box.allocator.allocate(wanted, box.stream).close();
      for (int i = 0; i < small.size(); i += oneIn) {
        small.get(i).close();
      }
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  @DisplayName("refuse a program near its limit hardly more than pages alone would")
  void nearTheLimit(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    long limit = 1024 * MIB;
    try (Sandbox box = Sandbox.uncached(VirtualMemoryUse.ON, b -> b.moveTime(0.005).limit(limit))) {
      List<Allocation> live = new ArrayList<>();
      long bytes = 0;
      long least = limit;
      for (int i = 0; i < 6000; i++) {
        long size = (1L << random.nextInt(1, 8)) * MIB;
        if (bytes + size <= limit && random.nextInt(8) != 0) {
          try {
            live.add(box.allocator.allocate(size, box.stream));
            bytes += size;
            continue;
          } catch (AllocatorOutOfMemoryException e) {
            least = Math.min(least, bytes + size);
          }
        }
        if (!live.isEmpty()) {
          Allocation closed = live.remove(random.nextInt(live.size()));
          bytes -= closed.getSize();
          closed.close();
        }
      }
      live.forEach(Allocation::close);
      assertTrue(least >= limit - limit / 32, "refused at " + least / MIB + " MiB");
    }
  }
}
