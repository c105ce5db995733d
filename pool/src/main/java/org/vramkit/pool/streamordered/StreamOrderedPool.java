package org.vramkit.pool.streamordered;

import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.Batch;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.pool.support.BlockAllocator;
import org.vramkit.pool.support.OwnMemory;
import org.vramkit.pool.support.PoolEdge;
import org.vramkit.pool.support.TrimTarget;

/**
 * Stream order in software: plain driver memory, kept by exact size and reused in order.
 *
 * <p><b>Order.</b> A free records an event on the allocation's stream and on every recorded one,
 * and returns without waiting. A block serves its own stream at once if no other was recorded, and
 * any stream once those events are complete. Only when memory runs out is a stream made to wait for
 * a block of another.
 *
 * <p><b>Size.</b> Blocks are as large as what was asked for and serve only that size again, so this
 * suits work that repeats its sizes. What is cached goes back to the driver, oldest first, above
 * the release threshold and after the decay time, whenever something is freed; a block that the
 * device still works on stays until a later free. Memory that runs out is met in steps: take a
 * block of the size that is still waited for, by a wait on the stream; give settled blocks back;
 * wait for the others, oldest first, no more of them than are needed; fail.
 *
 * <p><b>Statistics.</b> All closed blocks count as cached, also those that the device still works
 * on.
 *
 * <p>Safe for any thread. No wait for the device and no plain allocation happens under a lock that
 * a hit or a free needs.
 */
public final class StreamOrderedPool extends BlockAllocator {
  private final OwnMemory memory;
  private final FreeBlocks free;

  /**
   * Held around all that goes back to the driver, so that whoever finds no memory and an empty
   * cache knows that no block is on its way between the two. A hit does not need it.
   */
  private final ReentrantLock releasing = new ReentrantLock();

  private final LongSupplier clock;
  private final long decayNanos;
  private volatile long releaseThreshold;

  StreamOrderedPool(Device device, long releaseThreshold, long decayNanos, LongSupplier clock) {
    super(device);
    this.memory = new OwnMemory(device);
    this.free = new FreeBlocks(books, PoolEdge.of(device));
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
    FreeBlock ready = free.takeReady(bytes, stream);
    if (ready != null) {
      return handOut(ready, stream);
    }
    try {
      return takeFromDriver(bytes);
    } catch (DeviceOutOfMemoryException e) {
      long address = takeUnderPressure(bytes, stream);
      books.retried();
      return address;
    }
  }

  /** Gives a block to a stream that is in order after its free. */
  private long handOut(FreeBlock block, Stream stream) {
    try {
      block.uses.forget();
    } catch (RuntimeException | Error e) {
      Batch.after(e, () -> takeBack(block.address, block.bytes, stream));
      throw e;
    }
    books.hit();
    return block.address;
  }

  private long takeFromDriver(long bytes) {
    long address = memory.allocate(bytes);
    books.taken(bytes);
    return address;
  }

  private long takeUnderPressure(long bytes, Stream stream) {
    releasing.lock();
    try {
      free.askAll();
      FreeBlock ready = free.takeReady(bytes, stream);
      if (ready != null) {
        return handOut(ready, stream);
      }
      FreeBlock waiting = free.takeWaiting(bytes);
      if (waiting != null) {
        return steal(waiting, stream);
      }
      while (true) {
        release(free.takeExcess(0));
        // Also before the first wait: another thread may have released what is needed.
        try {
          return takeFromDriver(bytes);
        } catch (DeviceOutOfMemoryException e) {
          if (!awaitOldest()) {
            throw outOfMemory(bytes, stream, "a block of that size, release of all cached", e);
          }
        }
      }
    } finally {
      releasing.unlock();
    }
  }

  private long steal(FreeBlock block, Stream stream) {
    try {
      block.uses.orderBefore(stream);
    } catch (RuntimeException | Error e) {
      free.add(block);
      throw e;
    }
    long address = handOut(block, stream);
    books.stolen();
    return address;
  }

  @Override
  protected void give(long address, long bytes, Stream stream, List<Stream> users) {
    FreeBlock block = new FreeBlock(address, bytes, stream, users, clock.getAsLong());
    try {
      if (block.uses.mark()) {
        books.synchronizedOnHost();
      }
    } catch (RuntimeException | Error e) {
      Batch.after(e, block.uses::forget);
      throw e;
    }
    free.add(block);
  }

  @Override
  protected void releaseExcess() {
    long freedBefore = clock.getAsLong() - decayNanos;
    // Somebody who releases already may wait for the device; a free never does.
    if (free.hasExcess(releaseThreshold, freedBefore) && releasing.tryLock()) {
      try {
        free.askSome();
        release(free.takeExcess(releaseThreshold, freedBefore));
      } finally {
        releasing.unlock();
      }
    }
  }

  private boolean awaitOldest() {
    boolean awaited = free.awaitOldest();
    if (awaited) {
      books.synchronizedOnHost();
    }
    return awaited;
  }

  /** Gives settled blocks back to the driver; the caller holds the lock. */
  private void release(List<FreeBlock> blocks) {
    Batch.forEach(
        blocks,
        block -> {
          try {
            memory.free(block.address);
          } catch (RuntimeException | Error e) {
            // Only after an error of the driver: what it still holds stays cached.
            free.add(block);
            throw e;
          }
          books.givenBack(block.bytes);
        });
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
    trimCache(Math.max(0, keepBytes - books.getAllocatedBytes()));
  }

  /**
   * Gives cached memory back until at most this much is cached, oldest first, and only then waits
   * for what the device still works on.
   *
   * @param keepBytes how much may stay in the cache; not negative
   */
  public void trimCache(long keepBytes) {
    TrimTarget.requireNotNegative(keepBytes);
    releasing.lock();
    try {
      free.askAll();
      do {
        release(free.takeExcess(keepBytes));
      } while (books.getCachedBytes() > keepBytes && awaitOldest());
    } finally {
      releasing.unlock();
    }
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
    trimCache(0);
  }

  @Override
  protected void forgetAll() {
    List<FreeBlock> all = free.takeAll();
    all.forEach(block -> lost(block.bytes));
    Batch.forEach(all, block -> block.uses.forget());
  }
}
