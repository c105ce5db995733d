package org.vramkit.pool.streamordered;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.GpuException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.pool.support.BlockAllocator;
import org.vramkit.pool.support.Streams;

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
  private final FreeBlocks free = new FreeBlocks(books);

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
      ready.forgetEvents();
      books.hit();
      return ready.address();
    }
    try {
      return takeFromDriver(bytes);
    } catch (DeviceOutOfMemoryException e) {
      long address = takeUnderPressure(bytes, stream);
      books.retried();
      return address;
    }
  }

  private long takeFromDriver(long bytes) {
    long address = getDevice().getMemory().allocate(bytes);
    books.taken(bytes);
    return address;
  }

  private long takeUnderPressure(long bytes, Stream stream) {
    releasing.lock();
    try {
      FreeBlock waiting = free.takeAny(bytes);
      if (waiting != null) {
        return steal(waiting, stream);
      }
      release(free.takeSettled(0, clock.getAsLong()));
      while (true) {
        // Also before the first wait: another thread may have released what is needed.
        try {
          return takeFromDriver(bytes);
        } catch (DeviceOutOfMemoryException e) {
          FreeBlock oldest = free.takeOldestAbove(0);
          if (oldest == null) {
            throw outOfMemory(bytes, stream, "a block of that size, release of all cached", e);
          }
          releaseWaiting(oldest);
        }
      }
    } finally {
      releasing.unlock();
    }
  }

  private long steal(FreeBlock block, Stream stream) {
    try {
      block.orderBefore(stream);
    } catch (RuntimeException e) {
      free.add(block);
      throw e;
    }
    block.forgetEvents();
    books.stolen();
    books.hit();
    return block.address();
  }

  @Override
  protected void give(long address, long bytes, Stream stream, List<Stream> users) {
    List<Event> freed = new ArrayList<>(1 + users.size());
    long now = clock.getAsLong();
    if (!Streams.areOpen(stream, users) || !areRecorded(stream, users, freed)) {
      // No event can tell when a closed stream is done, and a block without one would be lost.
      try {
        awaitStreams(stream, users);
      } finally {
        freed.forEach(Event::close);
      }
      freed.clear();
    }
    free.add(new FreeBlock(address, bytes, stream, freed, users.isEmpty(), now));
  }

  @Override
  protected void releaseExcess() {
    long freedBefore = clock.getAsLong() - decayNanos;
    // Somebody who releases already may wait for the device; a free never does.
    if (free.hasExcess(releaseThreshold, freedBefore) && releasing.tryLock()) {
      try {
        release(free.takeSettled(releaseThreshold, freedBefore));
      } finally {
        releasing.unlock();
      }
    }
  }

  private boolean areRecorded(Stream stream, List<Stream> users, List<Event> freed) {
    try {
      record(stream, freed);
      for (Stream user : users) {
        record(user, freed);
      }
      return true;
    } catch (ClosedException | GpuException e) {
      return false;
    }
  }

  private void record(Stream stream, List<Event> freed) {
    Event event = getDevice().createEvent();
    freed.add(event);
    event.record(stream);
  }

  private void releaseWaiting(FreeBlock block) {
    if (!block.isSettled()) {
      books.synchronizedOnHost();
      block.await();
    }
    release(List.of(block));
  }

  /** Gives settled blocks back to the driver; the caller holds the lock. */
  private void release(List<FreeBlock> blocks) {
    int done = 0;
    try {
      for (FreeBlock block : blocks) {
        getDevice().getMemory().free(block.address());
        books.givenBack(block.bytes());
        block.forgetEvents();
        done++;
      }
    } finally {
      // Only after an error of the driver: what it still holds stays cached.
      blocks.subList(done, blocks.size()).forEach(free::add);
    }
  }

  /**
   * Gives cached memory back until at most this much is reserved, waiting for the device where that
   * is needed.
   *
   * @param keepBytes how much reserved memory may stay; what is live stays in any case
   */
  @Override
  public void trim(long keepBytes) {
    retryFrees();
    trimCache(Math.max(0, keepBytes - books.getAllocatedBytes()));
  }

  /**
   * Gives cached memory back, oldest first, until at most this much is cached, waiting for the
   * device where that is needed.
   *
   * @param keepBytes how much may stay in the cache
   */
  public void trimCache(long keepBytes) {
    releasing.lock();
    try {
      FreeBlock oldest = free.takeOldestAbove(keepBytes);
      while (oldest != null) {
        releaseWaiting(oldest);
        oldest = free.takeOldestAbove(keepBytes);
      }
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
}
