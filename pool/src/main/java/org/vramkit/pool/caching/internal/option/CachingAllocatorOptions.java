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
 * The settings of a caching allocator; {@link CachingAllocatorBuilder} says what each one does.
 *
 * @param virtualMemory what kind of memory it is built on
 * @param accessors other devices that may touch its pages
 * @param limitBytes most that it may reserve
 * @param initialBytes memory that is taken when it is made
 * @param threadCacheBytes room of one stripe of the first tier
 * @param steal when memory may change streams
 * @param polls of streams for each chunk that may be saved
 * @param moveTime share of elapsed time that may go into keeping memory small
 * @param decay idle time after which free memory goes back; zero for never
 * @param clock of nanoseconds, by which both are measured
 * @param roundingDivisions steps between powers of two
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
  /** The clock of a program that does not choose one: never tells the same time to two threads. */
  public static final LongSupplier SYSTEM_CLOCK = System::nanoTime;

  /** The least room for a history: a few chunks. */
  public static final long LEAST_HISTORY = 64 * ByteSize.KIB;

  /**
   * The options that are set and do nothing.
   *
   * @param pages whether the allocator is built on virtual memory
   */
  public List<String> withoutEffect(boolean pages) {
    List<String> names = new ArrayList<>();
    if (!pages && initialBytes > 0) {
      names.add("initial");
    }
    return names;
  }
}
