package org.vramkit.examples;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.Backend;
import org.vramkit.api.discovery.Backends;
import org.vramkit.api.units.ByteSize;
import org.vramkit.micrometer.MemoryMetrics;
import org.vramkit.pool.caching.CachingAllocator;

/** Exports an allocator's memory, and the device memory that others use, to Micrometer. */
public final class MemoryInMetrics {
  private MemoryInMetrics() {}

  /** Runs on the backend of the class path. */
  public static void main(String[] arguments) {
    try (Backend backend = Backends.open()) {
      System.out.println(run(backend));
    }
  }

  static String run(Backend backend) {
    // Applications use the registry of their monitoring system.
    MeterRegistry registry = new SimpleMeterRegistry();
    try (CachingAllocator allocator = CachingAllocator.create(backend.getDevice(0));
        MemoryMetrics metrics = MemoryMetrics.builder().allocator("training", allocator).build()) {
      metrics.bindTo(registry);
      try (Allocation held = allocator.allocate(8 * ByteSize.MIB)) {
        return "held: "
            + held.getSize()
            + ", live: "
            + read(registry, "vramkit.memory.live")
            + ", others': "
            + read(registry, "vramkit.memory.foreign");
      }
    }
  }

  private static long read(MeterRegistry registry, String gauge) {
    return Math.round(registry.get(gauge).gauge().value());
  }
}
