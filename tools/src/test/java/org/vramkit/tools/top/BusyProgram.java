package org.vramkit.tools.top;

import java.io.IOException;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.ElementType;
import org.vramkit.api.device.Backend;
import org.vramkit.api.device.Stream;
import org.vramkit.api.discovery.Backends;
import org.vramkit.pool.caching.CachingAllocator;

/** The README's five lines, and then it allocates until its standard input ends. */
final class BusyProgram {
  private BusyProgram() {}

  public static void main(String[] arguments) throws IOException, InterruptedException {
    try (Backend backend = Backends.open("sim");
        CachingAllocator allocator = CachingAllocator.create(backend.getDevice(0));
        Stream stream = allocator.getDevice().createStream("steps");
        Allocation weights =
            allocator.tagged("weights").allocate(1 << 20, ElementType.FLOAT32, stream)) {
      stream.fill(weights.getAddress(), (byte) 0, weights.getSize());
      System.out.println("ready");
      while (System.in.available() == 0) {
        allocator.allocate(1000, stream).close();
        Thread.sleep(1);
      }
    }
  }
}
