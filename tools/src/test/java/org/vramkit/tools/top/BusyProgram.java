package org.vramkit.tools.top;

import java.io.IOException;
import java.time.Duration;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.ElementType;
import org.vramkit.api.device.Backend;
import org.vramkit.api.device.Stream;
import org.vramkit.api.discovery.Backends;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.caching.Backup;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.PrivatePool;
import org.vramkit.pressure.Admission;
import org.vramkit.pressure.Demand;
import org.vramkit.pressure.Grant;
import org.vramkit.pressure.SpillStore;
import org.vramkit.pressure.Spillable;

/**
 * The README's five lines, and what shares scarce memory; then it allocates until its input ends.
 */
final class BusyProgram {
  private BusyProgram() {}

  public static void main(String[] arguments) throws IOException, InterruptedException {
    try (Backend backend = Backends.open("sim");
        CachingAllocator allocator = CachingAllocator.create(backend.getDevice(0));
        Stream stream = allocator.getDevice().createStream("steps");
        Allocation weights =
            allocator.tagged("weights").allocate(1 << 20, ElementType.FLOAT32, stream)) {
      stream.fill(weights.getAddress(), (byte) 0, weights.getSize());
      try (PrivatePool model = allocator.createPool();
          Allocation away = model.getAllocator().allocate(6 * ByteSize.MIB, stream);
          Admission gate = Admission.over(allocator).build();
          Grant grant = gate.acquire(Demand.of("job", 3 * ByteSize.GIB), Duration.ZERO);
          SpillStore store = SpillStore.over(allocator).hostLimit(2 * ByteSize.MIB).build();
          Spillable table = store.create(2 * ByteSize.MIB, 0)) {
        table.materialize(stream).close();
        store.spill(grant.getBytes());
        model.suspend(Backup.NONE, away.getStream());
        System.out.println("ready");
        while (System.in.available() == 0) {
          allocator.allocate(1000, stream).close();
          Thread.sleep(1);
        }
      }
    }
  }
}
