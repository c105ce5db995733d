package org.vramkit.examples;

import org.vramkit.api.allocator.*;
import org.vramkit.api.device.*;
import org.vramkit.api.discovery.Backends;
import org.vramkit.pool.caching.CachingAllocator;

/** The README's example; a test compares the README with this file. */
public final class FiveLines {
  private FiveLines() {}

  /** Runs on the backend of the class path. */
  public static void main(String[] arguments) {
    try (Backend backend = Backends.open();
        CachingAllocator allocator = CachingAllocator.create(backend.getDevice(0));
        Stream stream = allocator.getDevice().createStream();
        Allocation weights = allocator.allocate(1 << 20, ElementType.FLOAT32, stream)) {
      stream.fill(weights.getAddress(), (byte) 0, weights.getSize());
    }
  }
}
