package org.vramkit.pool;

import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.device.Device;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.VirtualMemoryUse;
import org.vramkit.pool.direct.DirectAllocator;
import org.vramkit.pool.driverpool.DriverPoolAllocator;
import org.vramkit.pool.streamordered.StreamOrderedPool;

/** Each allocator on a device, by its name; the caching one on both kinds of memory. */
public final class EveryAllocator {
  /** For {@code @MethodSource}. */
  public static final String SOURCE = "org.vramkit.pool.EveryAllocator#named";

  private EveryAllocator() {}

  /** How each is opened. */
  public static Stream<Named<Function<Device, Allocator>>> named() {
    return Stream.of(
        named("caching, pages", CachingAllocator::create),
        named(
            "caching, segments",
            device -> CachingAllocator.builder(device).virtualMemory(VirtualMemoryUse.OFF).build()),
        named("direct", device -> DirectAllocator.builder(device).build()),
        named("driver pool", device -> DriverPoolAllocator.builder(device).build()),
        named("stream-ordered", device -> StreamOrderedPool.builder(device).build()));
  }

  private static Named<Function<Device, Allocator>> named(
      String name, Function<Device, Allocator> open) {
    return Named.of(name, open);
  }
}
