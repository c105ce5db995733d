package org.vramkit.pool.caching.internal.option;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.vramkit.api.device.Device;
import org.vramkit.pool.caching.CachingAllocatorBuilder;
import org.vramkit.pool.caching.LeakDetection;
import org.vramkit.pool.caching.LeakListener;
import org.vramkit.pool.caching.OutOfMemoryHandler;
import org.vramkit.pool.caching.StealPolicy;
import org.vramkit.pool.caching.VirtualMemoryUse;

/**
 * The settings of a caching allocator; {@link CachingAllocatorBuilder} says what each one does.
 *
 * @param virtualMemory what kind of memory it is built on
 * @param accessors other devices that may touch its pages
 * @param memoryFraction share of the device's memory that it may reserve
 * @param limitBytes most that it may reserve, whichever is less
 * @param initialBytes memory that is taken when it is made
 * @param threadCacheBytes room of one stripe of the first tier
 * @param threadCacheBlockBytes largest block kept there
 * @param streamCacheBytes room of the second tier of one stream
 * @param steal when memory may change streams
 * @param growthPatience questions to the driver for each page that may be saved
 * @param extentShare most memory that is taken from the driver at once, as a share of all
 * @param moveTime share of elapsed time that may go into keeping memory small
 * @param decay idle time after which free memory goes back; zero for never
 * @param clock of nanoseconds, by which that time is measured, and the time spent behind the caches
 * @param roundingDivisions steps between powers of two
 * @param splitting whether blocks of segments are split
 * @param maxSplitBytes blocks from this size on are not split
 * @param garbageCollectionThreshold share of the limit above which free segments are given back
 * @param preemptiveRejection whether a request above the limit fails before anything is tried
 * @param outOfMemoryHandler asked before an allocation fails
 * @param historyBytes room for the latest events; 0 notes none
 * @param historyStacks whether they have stacks
 * @param leakDetection which handles are watched
 * @param leakListener hears of those that were dropped
 * @param heldTooLong how long one may be held until it is told of; zero for any time
 */
public record CachingAllocatorOptions(
    VirtualMemoryUse virtualMemory,
    List<Device> accessors,
    double memoryFraction,
    long limitBytes,
    long initialBytes,
    long threadCacheBytes,
    long threadCacheBlockBytes,
    long streamCacheBytes,
    StealPolicy steal,
    int growthPatience,
    double extentShare,
    double moveTime,
    Duration decay,
    LongSupplier clock,
    RoundingDivisions roundingDivisions,
    boolean splitting,
    long maxSplitBytes,
    double garbageCollectionThreshold,
    boolean preemptiveRejection,
    OutOfMemoryHandler outOfMemoryHandler,
    long historyBytes,
    boolean historyStacks,
    LeakDetection leakDetection,
    LeakListener leakListener,
    Duration heldTooLong) {
  /** The clock of a program that does not choose one: never tells the same time to two threads. */
  public static final LongSupplier SYSTEM_CLOCK = System::nanoTime;

  /**
   * The most that an extent may be of all memory of its pool where extents are cut. Larger ones
   * save calls of the driver, and keep more from others.
   */
  public static final double EXTENT_SHARE = 1.0 / 800;

  /**
   * The options that are set and do nothing.
   *
   * @param pages whether the allocator is built on virtual memory
   */
  public List<String> withoutEffect(boolean pages) {
    List<String> names = new ArrayList<>();
    if (pages) {
      addIf(!splitting, "splitting", names);
      addIf(maxSplitBytes != Long.MAX_VALUE, "max-split", names);
      addIf(garbageCollectionThreshold > 0, "garbage-collection-threshold", names);
    } else {
      addIf(initialBytes > 0, "initial", names);
    }
    return names;
  }

  private static void addIf(boolean set, String name, List<String> names) {
    if (set) {
      names.add(name);
    }
  }
}
