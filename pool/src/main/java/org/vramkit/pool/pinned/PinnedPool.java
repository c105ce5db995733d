package org.vramkit.pool.pinned;

import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.api.allocator.Figure;
import org.vramkit.api.device.Device;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.DriverStatus;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.support.LeasePool;
import org.vramkit.pool.support.Remedies;
import org.vramkit.pool.support.Sizes;
import org.vramkit.pool.support.StreamClocks;

/**
 * A pool of page-locked host buffers for asynchronous copies. The pool caches closed buffers,
 * because allocating one from the driver takes as long as copying megabytes. It reuses a buffer
 * once the copies that use the buffer are complete. Thread-safe.
 *
 * <p>The driver is called without the lock of the cache, so a hit never waits for another thread's
 * copy. A buffer that a captured stream uses is set aside until all captures and graphs of the
 * device have ended.
 *
 * <p>Before the pool locks more memory, it frees cached buffers as long as its buffers would have
 * more than twice the peak of the bytes in use plus 64 MiB.
 *
 * <p>Sizes are rounded up to eight classes for each doubling, so a buffer is at most 12.5 % larger
 * than requested. (PyTorch rounds to powers of two, up to 100 %.) Below 512 bytes the step is a
 * cache line.
 */
public final class PinnedPool implements AutoCloseable {
  private static final int STEPS_LOG2 = 3;
  private static final int SMALLEST_STEP_LOG2 = 6;

  /** The largest class; below it no computation of classes overflows. */
  static final long LARGEST_CLASS = 1L << 60;

  private final Device device;
  private final long byteLimit;
  private final StreamClocks clocks;
  private final LeasePool<Long, CachedPinned> leases;

  PinnedPool(Device device, long byteLimit) {
    this.device = device;
    this.byteLimit = byteLimit;
    this.clocks = new StreamClocks(device);
    this.leases =
        new LeasePool<>(
            "the pool of page-locked buffers",
            clocks,
            new LeasePool.Limits(
                Long.MAX_VALUE,
                Integer.MAX_VALUE,
                byteLimit,
                /* givesBackInUse= */ false,
                /* steals= */ false));
  }

  /** Returns the class of a request from 1 byte to {@link #LARGEST_CLASS}. */
  static long classFor(long bytes) {
    int log2 = 63 - Long.numberOfLeadingZeros(bytes);
    long step = 1L << Math.max(SMALLEST_STEP_LOG2, log2 - STEPS_LOG2);
    return (bytes + step - 1) & -step;
  }

  /** Returns the largest class of at most {@code bytes}; 0 if there is none. */
  private static long largestClassWithin(long bytes) {
    long step = 1L << SMALLEST_STEP_LOG2;
    return bytes < step ? 0 : bytes & -Math.max(step, Long.highestOneBit(bytes) >> STEPS_LOG2);
  }

  private LeasePool.Request<Long, CachedPinned> request(long bytes) {
    if (bytes <= 0 || bytes > LARGEST_CLASS) {
      throw new InvalidArgumentException(
          "a page-locked buffer must have from 1 byte to 1 EiB, not "
              + bytes
              + (bytes < 0 ? "; " + ByteSize.NEGATIVE_HINT : ""));
    }
    long size = classFor(bytes);
    return new LeasePool.Request<>(
        size, size, /* stream= */ null, () -> new CachedPinned(size, device, clocks.captured()));
  }

  /**
   * Returns a builder for a pool of buffers that a device copies from and to.
   *
   * @throws org.vramkit.api.error.NotSupportedException if the device has no page-locked memory
   */
  public static PinnedPoolBuilder builder(Device device) {
    return new PinnedPoolBuilder(device);
  }

  /** Creates a pool without a limit. */
  public static PinnedPool create(Device device) {
    return builder(device).build();
  }

  /**
   * Acquires a buffer with undefined contents.
   *
   * @param bytes more than 0, at most 1 EiB
   * @throws DeviceOutOfMemoryException at once if live buffers leave too little of the limit;
   *     otherwise if the host has too little memory even after copies in flight were awaited and
   *     cached buffers freed
   * @throws ClosedException if the pool is closed
   */
  public PooledPinnedBuffer acquire(long bytes) {
    LeasePool.Request<Long, CachedPinned> request = request(bytes);
    if (leases.stats().current(Figure.ALLOCATED) > byteLimit - request.size()) {
      throw refusal(request.size(), bytes, null);
    }
    try {
      return leases.lease(request, lease -> new PooledPinnedBuffer(lease, device, bytes));
    } catch (DeviceOutOfMemoryException e) {
      throw refusal(request.size(), bytes, e.getStatus().isFromDriver() ? e : null);
    }
  }

  /**
   * Acquires a cached buffer of the size class whose copies are complete, if there is one. Neither
   * allocates nor waits.
   *
   * @param bytes more than 0
   * @return null if no cached buffer matches
   * @throws ClosedException if the pool is closed
   */
  public @Nullable PooledPinnedBuffer tryAcquire(long bytes) {
    return leases.tryLease(request(bytes), lease -> new PooledPinnedBuffer(lease, device, bytes));
  }

  private DeviceOutOfMemoryException refusal(
      long size, long bytes, @Nullable DeviceOutOfMemoryException cause) {
    leases.stats().add(Figure.OUT_OF_MEMORIES, 1);
    boolean isLimited = byteLimit != Long.MAX_VALUE;
    String limit = isLimited ? "limit " + ByteSize.format(byteLimit) : "no limit";
    long held = leases.stats().current(Figure.ALLOCATED);
    return new DeviceOutOfMemoryException(
        "no page-locked memory for "
            + bytes
            + " bytes (class "
            + ByteSize.format(size)
            + "): "
            + ByteSize.format(held)
            + " are held, "
            + limit
            + (isLimited && size > byteLimit - held
                ? "; to do: "
                    + new Remedies()
                        .freeOf(held, size - (byteLimit - held))
                        .add("set a limit of at least " + ByteSize.formatUp(held + size))
                        .askForAtMost(largestClassWithin(byteLimit - held))
                : (held > 0 ? "; close buffers or ask for less: " : "; ask for less: ")
                    + (cause == null ? "the driver refuses to lock more" : cause.getMessage())),
        bytes,
        cause == null ? DriverStatus.NONE : cause.getStatus(),
        cause);
  }

  /**
   * Returns the statistics of this moment, in bytes of page-locked memory. Sizes count as rounded
   * to their classes, and are not broken down by stream or tag.
   */
  public AllocatorStatistics getStatistics() {
    return leases.stats().read();
  }

  /** Resets every peak to the current value. */
  public void resetPeaks() {
    leases.stats().resetPeaks();
  }

  /** Returns the page-locked bytes of the pool: live, free and in flight. */
  public long getLockedBytes() {
    return leases.stats().current(Figure.RESERVED);
  }

  /** Returns the bytes of free buffers, after querying which copies are complete. */
  public long getFreeBytes() {
    return leases.freeBytes();
  }

  /** Returns the number of buffers that the cache served. */
  public long getHits() {
    return leases.stats().current(Figure.SERVED_FROM_POOL);
  }

  /** Returns the number of buffers that were allocated. */
  public long getMisses() {
    return leases.stats().current(Figure.MISSES);
  }

  /**
   * Frees cached buffers, the least recently used first.
   *
   * @param keepBytes maximum free bytes to keep; not negative
   */
  public void trim(long keepBytes) {
    Sizes.requireTrimTarget(keepBytes);
    leases.trim(keepBytes, /* waits= */ false);
  }

  /**
   * Closes the pool. Waits for copies in flight and frees all cached buffers. Other buffers are
   * freed when they are closed. After a failure, another call frees the remaining buffers.
   */
  @Override
  public void close() {
    leases.close();
  }

  @Override
  public String toString() {
    return "PinnedPool of device "
        + device.getOrdinal()
        + ", "
        + ByteSize.format(leases.stats().current(Figure.RESERVED))
        + " locked, "
        + ByteSize.format(leases.stats().current(Figure.ALLOCATED))
        + " held";
  }
}
