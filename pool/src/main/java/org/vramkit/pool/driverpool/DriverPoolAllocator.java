package org.vramkit.pool.driverpool;

import java.util.List;
import java.util.Map;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.api.allocator.Figure;
import org.vramkit.api.device.Capability;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.DriverPool;
import org.vramkit.api.device.DriverPoolReuse;
import org.vramkit.api.device.DriverPoolStatistics;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.Batch;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.GpuException;
import org.vramkit.pool.support.CapturedStreams;
import org.vramkit.pool.support.DriverAllocator;
import org.vramkit.pool.support.PoolDriverCalls;
import org.vramkit.pool.support.Sizes;
import org.vramkit.pool.support.Streams;

/**
 * Allocates from a driver pool ({@code cudaMemPool_t}) that it owns. Every allocation and every
 * free is a driver call of about a microsecond, under the driver's lock.
 *
 * <p>Closing an allocation does not block. If other streams were recorded, the allocation's stream
 * waits for their queued work before the free, and so does later work of that stream. If one of the
 * streams is closed, the caller waits for the whole device instead.
 *
 * <p>When memory runs out, the allocator synchronises the device, trims the pool and retries the
 * request once.
 *
 * <p>Statistics: reserved bytes are the driver's figure on a device with {@link
 * Capability#DRIVER_POOL_ATTRIBUTES}, otherwise the allocated bytes, which are a lower bound.
 * Reserved bytes beyond the allocated ones, rounding included, count as cached and belong to no
 * stream. After {@link #resetPeaks} the peak of reserved bytes is the maximum that {@link
 * #getStatistics} has seen, until the driver's own peak rises again. Every allocation counts as a
 * miss, because the driver does not report whether it took memory. Thread-safe.
 */
public final class DriverPoolAllocator extends DriverAllocator {
  private final DriverPool pool;
  private final boolean hasAttributes;

  /** The limit of the driver's pool; {@link Long#MAX_VALUE} for none. */
  private final long limit;

  private long peakAtReset;

  /**
   * True if the driver was asked to destroy the pool, even if it failed; read by the close only.
   */
  private boolean destroyed;

  private DriverPoolAllocator(Device device, DriverPool pool, long maximumBytes) {
    super(device);
    this.pool = pool;
    this.limit = maximumBytes == 0 ? Long.MAX_VALUE : maximumBytes;
    this.hasAttributes = device.supports(Capability.DRIVER_POOL_ATTRIBUTES);
  }

  /**
   * Returns a builder for an allocator of a device.
   *
   * @param device a device with {@link Capability#DRIVER_POOLS}
   */
  public static DriverPoolAllocatorBuilder builder(Device device) {
    return new DriverPoolAllocatorBuilder(device);
  }

  static DriverPoolAllocator open(
      Device device,
      long maximumBytes,
      long threshold,
      Map<DriverPoolReuse, Boolean> reuse,
      List<Device> accessors) {
    return new CapturedStreams(device)
        .relaxed(() -> openNow(device, maximumBytes, threshold, reuse, accessors));
  }

  private static DriverPoolAllocator openNow(
      Device device,
      long maximumBytes,
      long threshold,
      Map<DriverPoolReuse, Boolean> reuse,
      List<Device> accessors) {
    DriverPool pool = device.getDriverPools().create(maximumBytes);
    try {
      DriverPoolAllocator allocator = new DriverPoolAllocator(device, pool, maximumBytes);
      if (allocator.hasAttributes) {
        pool.setReleaseThreshold(threshold);
      }
      reuse.forEach(pool::setReuse);
      accessors.forEach(accessor -> pool.setAccess(accessor, true));
      return allocator;
    } catch (RuntimeException | Error e) {
      Batch.after(e, pool::close);
      throw e;
    }
  }

  @Override
  public long getLimit() {
    return limit;
  }

  @Override
  public long getAvailableBytes() {
    return limit == Long.MAX_VALUE ? limit : Math.max(0, limit - stats.current(Figure.ALLOCATED));
  }

  @Override
  protected long take(long bytes, Stream stream) {
    return captured().relaxed(() -> takeNow(bytes, stream));
  }

  private long takeNow(long bytes, Stream stream) {
    long address;
    try {
      address = pool.allocate(bytes, stream);
    } catch (DeviceOutOfMemoryException first) {
      address = retry(bytes, stream);
    }
    stats.taken(hasAttributes ? 0 : bytes);
    return address;
  }

  private long retry(long bytes, Stream stream) {
    trim(0);
    try {
      long address = pool.allocate(bytes, stream);
      stats.add(Figure.RETRIES, 1);
      return address;
    } catch (DeviceOutOfMemoryException second) {
      throw outOfMemory(bytes, stream, "synchronise, trim the pool, retry", second);
    }
  }

  @Override
  protected void giveBack(long address, long bytes, Stream stream, List<Stream> users) {
    if (!Streams.areOpen(stream, users) || !isFreedInOrder(address, stream, users)) {
      // No event can be recorded into a closed stream, so the host waits for the work.
      awaitStreams(stream, users);
      giveBackIdle(address);
    }
    stats.givenBack(hasAttributes ? 0 : bytes);
  }

  @Override
  protected void giveBackIdle(long address) {
    try {
      PoolDriverCalls.make(getDevice(), () -> pool.free(address, getDevice().getDefaultStream()));
    } catch (ClosedException gone) {
      // Neither this stream nor the pool is closed, so the backend is, and its memory is gone.
    }
  }

  private boolean isFreedInOrder(long address, Stream stream, List<Stream> users) {
    try {
      PoolDriverCalls.make(getDevice(), () -> freeInOrder(address, stream, users));
      return true;
    } catch (ClosedException | GpuException e) {
      return false;
    }
  }

  private void freeInOrder(long address, Stream stream, List<Stream> users) {
    for (Stream user : users) {
      // The wait stays valid when the event is closed.
      try (Event used = getDevice().createEvent()) {
        used.record(user);
        stream.waitFor(used);
      }
    }
    pool.free(address, stream);
  }

  @Override
  protected void lost(long bytes) {
    stats.givenBack(hasAttributes ? 0 : bytes);
  }

  /**
   * Waits for the device, so that every free is complete, and returns unused memory to the driver.
   * Does not wait while a stream of the device is captured. Has no effect on a closed allocator.
   *
   * @param keepBytes maximum reserved bytes to keep; live memory always stays
   */
  @Override
  public void trim(long keepBytes) {
    Sizes.requireTrimTarget(keepBytes);
    gate.insideIfOpen(
        () -> {
          retryFrees();
          if (!captured().isAny()) {
            stats.add(Figure.SYNCHRONIZATIONS, 1);
            PoolDriverCalls.awaitAll(getDevice());
          }
          captured().relax(() -> release(keepBytes));
        });
  }

  private void release(long keepBytes) {
    try {
      pool.trim(keepBytes);
    } catch (ClosedException gone) {
      // The pool is open, so the backend is closed, and its memory is gone.
    }
  }

  @Override
  public synchronized AllocatorStatistics getStatistics() {
    if (hasAttributes && !gate.isShut()) {
      DriverPoolStatistics held = captured().relaxed(pool::getStatistics);
      boolean rose = held.reservedPeakBytes() > peakAtReset;
      stats.heldByDriver(held.reservedBytes(), rose ? held.reservedPeakBytes() : 0);
    }
    return super.getStatistics();
  }

  @Override
  public synchronized void resetPeaks() {
    AllocatorStatistics now = getStatistics();
    peakAtReset = Math.max(peakAtReset, now.reserved().peak());
    super.resetPeaks();
  }

  @Override
  protected void releaseAll() {
    if (!destroyed) {
      captured().requireNone("close " + this + ", which waits for the device");
      PoolDriverCalls.awaitAll(getDevice());
      destroy();
    }
  }

  @Override
  protected void forgetMemory() {
    if (!destroyed) {
      destroy();
    }
  }

  private synchronized void destroy() {
    destroyed = true;
    try {
      captured().relax(pool::close);
    } finally {
      if (hasAttributes) {
        stats.heldByDriver(0, 0);
      }
    }
  }
}
