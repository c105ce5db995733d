package org.vramkit.examples;

import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.ElementType;
import org.vramkit.api.device.Backend;
import org.vramkit.api.device.Stream;
import org.vramkit.api.discovery.Backends;
import org.vramkit.pool.caching.CachingAllocator;

class FirstProgram {
  public static void main(String[] arguments) {
    try (Backend backend = Backends.open();
        CachingAllocator allocator = CachingAllocator.create(backend.getDevice(0));
        Stream stream = allocator.getDevice().createStream();
        Allocation weights = allocator.allocate(1 << 20, ElementType.FLOAT32, stream)) {
      stream.fill(weights.getAddress(), (byte) 0, weights.getSize());
      System.out.println(allocator);
    }
  }
}
