package org.vramkit.pool.caching.statistics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.vramkit.pool.caching.Sandbox.MIB;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.pool.caching.AllocatorSnapshot;
import org.vramkit.pool.caching.PrivatePool;
import org.vramkit.pool.caching.PrivatePoolOptions;
import org.vramkit.pool.caching.Sandbox;
import org.vramkit.pool.caching.SegmentSource;

@DisplayName("A6 A snapshot that is taken while the driver has a segment back")
class SnapshotBesideTrimTest {
  @Test
  @DisplayName("shows the segment, which may never have been a stream's from its beginning on")
  void segmentOnItsWay() {
    List<AllocatorSnapshot> taken = new ArrayList<>();
    try (Sandbox box = Sandbox.segments()) {
      SegmentSource source =
          new SegmentSource() {
            @Override
            public long allocate(long bytes) {
              return box.device.getMemory().allocate(bytes);
            }

            @Override
            public void free(long address, long bytes) {
              taken.add(box.allocator.getSnapshot());
              box.device.getMemory().free(address);
            }
          };
      PrivatePoolOptions options = PrivatePoolOptions.DEFAULT.withSource(source);
      try (PrivatePool pool = box.allocator.createPool(options)) {
        Allocator allocator = pool.getAllocator();
        allocator.allocate(3 * MIB, box.stream).close();
        allocator.trim(0);
      }
    }
    assertEquals(1, taken.size());
    assertEquals(1, taken.get(0).segments().size());
  }
}
