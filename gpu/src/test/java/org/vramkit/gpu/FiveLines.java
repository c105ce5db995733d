package org.vramkit.gpu;

import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.ElementType;
import org.vramkit.api.device.Backend;
import org.vramkit.api.device.Stream;
import org.vramkit.api.discovery.Backends;
import org.vramkit.pool.caching.CachingAllocator;

/** Runs the README's five lines with a minimal class path and prints the device. */
final class FiveLines {
  private FiveLines() {}

  public static void main(String[] arguments) {
    try (Backend backend = Backends.open();
        CachingAllocator allocator = CachingAllocator.create(backend.getDevice(0));
        Stream stream = allocator.getDevice().createStream();
        Allocation weights = allocator.allocate(1 << 20, ElementType.FLOAT32, stream)) {
      stream.fill(weights.getAddress(), (byte) 0, weights.getSize());
      stream.synchronize();
      System.out.println(backend.getName() + " on " + backend.getDevice(0));
    }
  }
}
