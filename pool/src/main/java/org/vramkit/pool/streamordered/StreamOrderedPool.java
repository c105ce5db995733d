package org.vramkit.pool.streamordered;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.Batch;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.pool.support.BlockAllocator;
import org.vramkit.pool.support.Lender;
import org.vramkit.pool.support.OwnMemory;
import org.vramkit.pool.support.StreamClocks;
import org.vramkit.pool.support.StreamPoint;
import org.vramkit.pool.support.TrimTarget;

/**
 * Stream order in software: plain driver memory, kept by exact size and reused in order.
 *
 * <p><b>Order.</b> A free notes how far the allocation's stream and every recorded one have been
 * submitted, and returns without waiting. A block serves its own stream at once if no other was
 * recorded, and any stream once all have passed the free. Only when memory runs out is a stream
 * made to wait for a block of another. A stream that is captured gets none: the graph would use the
 * block with each launch, also when another allocation has it.
 *
 * <p><b>Size.</b> Blocks are as large as what was asked for and serve only that size again, so this
 * suits work that repeats its sizes. What is cached goes back to the driver, oldest first, above
 * the release threshold and after the decay time, whenever something is freed; a block that the
 * device still works on stays until a later free. Before more is taken, free memory goes back while
 * more than twice the peak of what was live, and 64 MiB, would be reserved. Memory that runs out is
 * met in steps: take a block of the size that is still waited for, by a wait on the stream; give
 * settled blocks back; wait for the others, oldest first, no more of them than are needed; fail.
 *
 * <p><b>Statistics.</b> All closed blocks count as cached, also those that the device still works
 * on.
 *
 * <p>Safe for any thread. No wait for the device and no plain allocation happens under a lock that
 * a hit or a free needs.
 */
public final class StreamOrderedPool extends BlockAllocator {
  private final OwnMemory memory;
  private final StreamClocks clocks;
  private final Lender<Long, FreeBlock> free;
  private final LongSupplier clock;
  private final long decayNanos;
  private volatile long releaseThreshold;

  StreamOrderedPool(Device device, long releaseThreshold, long decayNanos, LongSupplier clock) {
    super(device);
    this.memory = new OwnMemory(device);
    this.clocks = new StreamClocks(device);
    this.free =
        new Lender<>(
            "the stream-ordered pool",
            clocks,
            new Lender.Limits(
                Long.MAX_VALUE, Integer.MAX_VALUE, Long.MAX_VALUE, /* givesBackInUse= */ false),
            stats);
    this.releaseThreshold = releaseThreshold;
    this.decayNanos = decayNanos;
    this.clock = clock;
  }

  /** Begins a pool of this device's memory. */
  public static StreamOrderedPoolBuilder builder(Device device) {
    return new StreamOrderedPoolBuilder(device);
  }

  @Override
  protected long take(long bytes, Stream stream) {
    FreeBlock taken = takeBlock(bytes, stream);
    free.disown(taken);
    return taken.address();
  }

  private FreeBlock takeBlock(long bytes, Stream stream) {
    Lender.Request<Long, FreeBlock> request =
        new Lender.Request<>(
            bytes,
            bytes,
            each -> each.isInOrderOn(stream),
            any -> true,
            () -> new FreeBlock(bytes, stream, memory, clocks.captured()));
    FreeBlock ready = free.acquireIdle(request);
    if (ready != null) {
      return ready;
    }
    try {
      free.keepBound(bytes);
      return free.tryAcquire(request);
    } catch (DeviceOutOfMemoryException e) {
      FreeBlock taken = takeUnderPressure(request, stream);
      stats.retried();
      return taken;
    }
  }

  private FreeBlock takeUnderPressure(Lender.Request<Long, FreeBlock> request, Stream stream) {
    List<StreamPoint> uses = new ArrayList<>();
    FreeBlock waiting = free.takePending(request.key(), uses);
    if (waiting != null) {
      steal(waiting, uses, stream);
      return waiting;
    }
    try {
      return free.acquire(request);
    } catch (DeviceOutOfMemoryException e) {
      throw outOfMemory(request.size(), stream, "a block of that size, release of all cached", e);
    }
  }

  private void steal(FreeBlock block, List<StreamPoint> uses, Stream stream) {
    try {
      uses.forEach(each -> each.orderBefore(stream));
    } catch (RuntimeException | Error e) {
      Batch.after(e, () -> free.restore(block, uses));
      throw e;
    }
    stats.stolen();
  }

  @Override
  protected void give(long address, long bytes, Stream stream, List<Stream> users) {
    List<Stream> all = new ArrayList<>(users);
    all.add(0, stream);
    FreeBlock block = new FreeBlock(bytes, stream, memory, clocks.captured());
    free.restore(block.freed(address, users.isEmpty(), clock.getAsLong()), clocks.now(all));
  }

  @Override
  protected void releaseExcess() {
    long freedBefore = clock.getAsLong() - decayNanos;
    free.releaseOld(releaseThreshold, block -> block.isOlderThan(freedBefore));
  }

  /**
   * Gives cached memory back until at most this much is reserved, waiting for the device where that
   * is needed.
   *
   * @param keepBytes how much reserved memory may stay; what is live stays in any case
   */
  @Override
  public void trim(long keepBytes) {
    TrimTarget.requireNotNegative(keepBytes);
    retryFrees();
    trimCache(Math.max(0, keepBytes - stats.getAllocatedBytes()));
  }

  /**
   * Gives cached memory back until at most this much is cached, oldest first, and only then waits
   * for what the device still works on.
   *
   * @param keepBytes how much may stay in the cache; not negative
   */
  public void trimCache(long keepBytes) {
    TrimTarget.requireNotNegative(keepBytes);
    free.trim(keepBytes, /* waits= */ true);
  }

  /** Cached memory above this many bytes goes back when something is freed. */
  public long getReleaseThreshold() {
    return releaseThreshold;
  }

  /**
   * Sets the release threshold, and trims the cache to it at once.
   *
   * @param bytes 0 or more; {@link Long#MAX_VALUE} for no limit
   */
  public void setReleaseThreshold(long bytes) {
    releaseThreshold = checkThreshold(bytes);
    trimCache(bytes);
  }

  static long checkThreshold(long bytes) {
    if (bytes < 0) {
      throw new InvalidArgumentException("releaseThreshold must be 0 or more, found " + bytes);
    }
    return bytes;
  }

  @Override
  protected void releaseAll() {
    free.close();
  }

  @Override
  protected void releaseBroken() {
    Batch.run(memory::freeAll, clocks::close);
  }

  @Override
  protected void forgetAll() {
    free.forget();
  }
}
