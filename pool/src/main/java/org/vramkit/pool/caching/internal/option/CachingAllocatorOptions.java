package org.vramkit.pool.caching.internal.option;

import java.time.Duration;
import java.util.ArrayList;
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

/**
 * The settings of a caching allocator, which {@link CachingAllocatorBuilder} describes.
 *
 * @param virtualMemory kind of memory
 * @param accessors other devices with access to the memory
 * @param limitBytes most reserved bytes
 * @param initialBytes bytes reserved up front
 * @param threadCacheBytes capacity of a thread cache
 * @param steal when memory may serve another stream
 * @param polls polls of streams for each chunk that may be saved
 * @param moveTime share of elapsed time for moving memory
 * @param decay idle time after which free memory returns to the driver; zero for never
 * @param clock clock of both, in nanoseconds
 * @param roundingDivisions steps between powers of two
 * @param outOfMemoryHandler called before an allocation fails
 * @param historyBytes bytes of the history; 0 for none
 * @param historyStacks whether events have stacks
 * @param leakDetection which handles are tracked
 * @param leakListener called for each leak
 * @param heldTooLong time after which a live allocation is reported; zero for never
 */
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

  /**
   * Returns the options that are set but have no effect.
   *
   * @param pages whether the allocator uses virtual memory
   */
  public List<String> withoutEffect(boolean pages) {
    List<String> names = new ArrayList<>();
    if (!pages && initialBytes > 0) {
      names.add("initial");
    }
    return names;
  }
}
