package org.vramkit.bench.start;

import java.time.Duration;
import java.time.Instant;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.ElementType;
import org.vramkit.api.device.Backend;
import org.vramkit.api.device.Stream;
import org.vramkit.api.discovery.Backends;
import org.vramkit.pool.caching.CachingAllocator;

/** Allocates once and prints the milliseconds since {@code bench/start} started the JVM. */
public final class FirstAllocation {
  private FirstAllocation() {}

  /**
   * Runs README's five lines.
   *
   * @param args the nanoseconds since 1970 at which the JVM was started
   */
  public static void main(String[] args) {
    try (Backend backend = Backends.open();
        CachingAllocator allocator = CachingAllocator.create(backend.getDevice(0));
        Stream stream = allocator.getDevice().createStream();
        Allocation weights = allocator.allocate(1 << 20, ElementType.FLOAT32, stream)) {
      Duration taken =
          Duration.between(Instant.ofEpochSecond(0, Long.parseLong(args[0])), Instant.now());
      Allocated.print(weights, taken);
    }
  }

  /** Marks the first allocation in a log of loaded classes. */
  private static final class Allocated {
    static void print(Allocation weights, Duration taken) {
      if (weights.getSize() == 0) {
        throw new IllegalStateException("nothing was allocated");
      }
      System.out.println(taken.toNanos() / 1_000_000.0);
    }
  }
}
