package org.vramkit.pool.caching.internal.option;

import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;
import org.vramkit.api.device.Device;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.caching.CachingAllocatorBuilder;
import org.vramkit.pool.caching.LeakDetection;
import org.vramkit.pool.caching.LeakListener;
import org.vramkit.pool.caching.OutOfMemoryHandler;
import org.vramkit.pool.caching.StealPolicy;
import org.vramkit.pool.caching.VirtualMemoryUse;

/** The settings of a caching allocator, which {@link CachingAllocatorBuilder} describes. */
public record CachingAllocatorOptions(
    VirtualMemoryUse virtualMemory,
    List<Device> accessors,
    long limitBytes,
    long initialBytes,
    long threadCacheBytes,
    StealPolicy steal,
    int polls,
    double moveTime,
    Duration decay,
    LongSupplier clock,
    RoundingDivisions roundingDivisions,
    OutOfMemoryHandler outOfMemoryHandler,
    long historyBytes,
    boolean historyStacks,
    LeakDetection leakDetection,
    LeakListener leakListener,
    Duration heldTooLong) {
  /** The default clock. */
  public static final LongSupplier SYSTEM_CLOCK = System::nanoTime;

  /** Least bytes of a history. */
  public static final long LEAST_HISTORY = 64 * ByteSize.KIB;
}
