package org.vramkit.pool.streamordered;

import static java.util.Objects.requireNonNull;

import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Figure;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.pool.support.BlockAllocation;
import org.vramkit.pool.support.BlockAllocator;
import org.vramkit.pool.support.DriverMemory;
import org.vramkit.pool.support.Lease;
import org.vramkit.pool.support.LeasePool;
import org.vramkit.pool.support.Sizes;
import org.vramkit.pool.support.StreamClocks;

/**
 * Allocates in stream order on drivers that have no memory pools. The pool caches plain driver
 * memory by exact size and reuses it in stream order.
 *
 * <p><b>Order.</b> A free records the current point of the allocation's stream and of every
 * recorded stream, and does not wait. A block serves its own stream at once if no other stream was
 * recorded, and any stream once all these streams have completed the work before the free. A stream
 * waits for a block of another stream only when memory runs out. A captured stream gets no memory,
 * because each launch of the graph would use it, even while another allocation has it.
 *
 * <p><b>Size.</b> Blocks have exactly the requested size and serve only that size again, which
 * suits work that repeats its sizes. A free returns cached blocks to the driver, the oldest first,
 * beyond the release threshold and after the decay time; blocks that the device still uses stay.
 * Before the pool takes more, it returns free memory while more than twice the peak of live bytes
 * plus 64 MiB would be reserved. When memory runs out, the pool first takes a cached block of the
 * size that the device still uses, and makes the stream wait for it. If there is none, the pool
 * returns free blocks to the driver. If that does not suffice, it waits for used blocks, the oldest
 * first and as few as needed, and returns them too.
 *
 * <p><b>Statistics.</b> All closed blocks count as cached, including those that the device still
 * uses.
 *
 * <p>Thread-safe. No lock that a hit or a free takes is held during a wait for the device or a
 * plain allocation.
 */
public final class StreamOrderedPool extends BlockAllocator {
  private final DriverMemory memory;
  private final StreamClocks clocks;
  private final LeasePool<Long, CachedBlock> leases;
  private final LongSupplier clock;
  private final long decayNanos;
  private volatile long releaseThreshold;

  private static final class Leased extends BlockAllocation {
    private @Nullable Lease<CachedBlock> lease;

    Leased(StreamOrderedPool pool, long bytes, Stream stream) {
      super(pool, bytes, stream);
    }

    void fill(Lease<CachedBlock> taken) {
      lease = taken;
      CachedBlock block = requireNonNull(taken.piece());
      fill(block.address(), block.uses);
    }
  }

  StreamOrderedPool(Device device, long releaseThreshold, long decayNanos, LongSupplier clock) {
    super(device);
    this.memory = new DriverMemory(device);
    this.clocks = new StreamClocks(device);
    this.leases =
        new LeasePool<>(
            "the stream-ordered pool",
            health,
            clocks,
            new LeasePool.Limits(
                Long.MAX_VALUE,
                Integer.MAX_VALUE,
                Long.MAX_VALUE,
                /* givesBackInUse= */ false,
                /* steals= */ true),
            stats);
    this.releaseThreshold = releaseThreshold;
    this.decayNanos = decayNanos;
    this.clock = clock;
  }

  /** Returns a builder for a pool of a device. */
  public static StreamOrderedPoolBuilder builder(Device device) {
    return new StreamOrderedPoolBuilder(device);
  }

  @Override
  protected BlockAllocation newHandle(long bytes, Stream stream) {
    return new Leased(this, bytes, stream);
  }

  @Override
  protected void allocate(BlockAllocation handle) {
    Leased made = (Leased) handle;
    long bytes = made.getSize();
    Stream stream = made.getStream();
    LeasePool.Request<Long, CachedBlock> request =
        new LeasePool.Request<>(
            bytes, bytes, stream, () -> new CachedBlock(bytes, stream, memory, captured(), clock));
    try {
      leases.lease(
          request,
          lease -> {
            made.fill(lease);
            announce(made);
            return made;
          });
    } catch (DeviceOutOfMemoryException e) {
      throw outOfMemory(
          bytes, stream, "a block of that size, then release of all cached blocks", e);
    }
  }

  @Override
  protected void doFree(BlockAllocation handle) {
    requireNonNull(((Leased) handle).lease).close(none -> {});
    long freedBefore = clock.getAsLong() - decayNanos;
    leases.releaseOld(releaseThreshold, block -> block.isOlderThan(freedBefore));
  }

  /**
   * Returns cached memory to the driver until at most {@code keepBytes} are reserved. Waits for the
   * device if needed.
   *
   * @param keepBytes maximum reserved bytes to keep; live memory always stays
   */
  @Override
  public void trim(long keepBytes) {
    Sizes.requireTrimTarget(keepBytes);
    trimCache(Math.max(0, keepBytes - stats.current(Figure.ALLOCATED)));
  }

  /**
   * Returns cached memory to the driver, the oldest first, until at most {@code keepBytes} are
   * cached. Waits for blocks that the device still uses only if free ones do not suffice.
   *
   * @param keepBytes maximum cached bytes to keep; not negative
   */
  public void trimCache(long keepBytes) {
    Sizes.requireTrimTarget(keepBytes);
    leases.trim(keepBytes, /* waits= */ true);
  }

  /** Returns the cached bytes above which a free returns memory to the driver. */
  public long getReleaseThreshold() {
    return releaseThreshold;
  }

  /**
   * Sets the release threshold and trims the cache to it.
   *
   * @param bytes 0 or more; {@link Long#MAX_VALUE} for no limit
   */
  public void setReleaseThreshold(long bytes) {
    releaseThreshold = Sizes.requireNotNegative("releaseThreshold", bytes);
    trimCache(bytes);
  }

  @Override
  protected void closeMemory() {
    leases.close();
  }

  @Override
  protected void closeBroken() {
    leases.close();
  }

  @Override
  protected void forgetMemory() {
    leases.forget();
  }
}
