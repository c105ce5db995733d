package org.vramkit.pool.pinned;

import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.api.device.Device;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.DriverStatus;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.support.Lender;
import org.vramkit.pool.support.Refusals;
import org.vramkit.pool.support.StreamClocks;
import org.vramkit.pool.support.TrimTarget;

/**
 * Page-locked host buffers for asynchronous copies. Taking one from the driver costs as much as
 * copying megabytes, so a closed buffer is kept, and handed out again once the copies that use it
 * are done. Safe for any thread.
 *
 * <p>What no user has lies in a {@link Lender}. The driver is called without its lock, so that no
 * hit waits for another thread's copy. A buffer that a captured stream uses belongs to the graph:
 * it is set aside until all captures and graphs of the device have ended.
 */
public final class PinnedPool implements AutoCloseable {
  private final Device device;
  private final long byteLimit;
  private final StreamClocks clocks;
  private final Lender<Long, CachedPinned> lender;

  PinnedPool(Device device, long byteLimit) {
    this.device = device;
    this.byteLimit = byteLimit;
    this.clocks = new StreamClocks(device);
    this.lender =
        new Lender<>(
            "the pool of page-locked buffers",
            clocks,
            new Lender.Limits(
                Long.MAX_VALUE, Integer.MAX_VALUE, byteLimit, /* givesBackInUse= */ false));
  }

  private Lender.Request<Long, CachedPinned> request(long bytes) {
    if (bytes <= 0 || bytes > PinnedClasses.LARGEST) {
      throw new InvalidArgumentException(
          "a page-locked buffer must have from 1 byte to 1 EiB, not " + bytes);
    }
    long size = PinnedClasses.sizeFor(bytes);
    return new Lender.Request<>(
        size,
        size,
        none -> false,
        any -> true,
        () -> new CachedPinned(size, device, clocks.captured()));
  }

  /**
   * Settings for a pool of buffers that this device copies from and to.
   *
   * @throws org.vramkit.api.error.NotSupportedException if it has no page-locked memory
   */
  public static PinnedPoolBuilder builder(Device device) {
    return new PinnedPoolBuilder(device);
  }

  /** A pool without a limit. */
  public static PinnedPool create(Device device) {
    return builder(device).build();
  }

  /**
   * Takes a buffer; its bytes are whatever the memory last held.
   *
   * @param bytes more than 0
   * @throws DeviceOutOfMemoryException at once if what is held leaves too little of the limit; else
   *     if the host has no memory, even once all copies in flight are done and nothing free is kept
   * @throws ClosedException if the pool is closed
   */
  public PooledPinnedBuffer acquire(long bytes) {
    Lender.Request<Long, CachedPinned> request = request(bytes);
    if (lender.stats().getAllocatedBytes() > byteLimit - request.size()) {
      throw refusal(request.size(), bytes, null);
    }
    try {
      return lender.lend(request, loan -> new PooledPinnedBuffer(loan, device, bytes));
    } catch (DeviceOutOfMemoryException e) {
      throw refusal(request.size(), bytes, e.getStatus().isFromDriver() ? e : null);
    }
  }

  /**
   * Takes a buffer that is wanted only if it is there: one of its size class that was closed
   * before, and whose copies are done. Takes no memory from the host, and waits for nothing.
   *
   * @param bytes more than 0
   * @return null if none is there
   * @throws ClosedException if the pool is closed
   */
  public @Nullable PooledPinnedBuffer tryAcquire(long bytes) {
    return lender.tryLend(request(bytes), loan -> new PooledPinnedBuffer(loan, device, bytes));
  }

  private DeviceOutOfMemoryException refusal(
      long size, long bytes, @Nullable DeviceOutOfMemoryException cause) {
    lender.stats().outOfMemory();
    boolean isLimited = byteLimit != Long.MAX_VALUE;
    String limit = isLimited ? "limit " + ByteSize.format(byteLimit) : "no limit";
    long held = lender.stats().getAllocatedBytes();
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
                ? "; close buffers: "
                    + Refusals.advice(
                        size,
                        PinnedClasses.largestWithin(byteLimit - held),
                        held,
                        "set a limit of at least " + ByteSize.formatUp(held + size))
                : "; close buffers or ask for less: the driver locks no more"),
        bytes,
        cause == null ? DriverStatus.NONE : cause.getStatus(),
        cause);
  }

  /**
   * The figures of this moment, in bytes of page-locked memory: what users hold, what is locked and
   * what is kept, with peaks, hits, and buffers that were refused. No stream and no tag has a
   * share.
   */
  public AllocatorStatistics getStatistics() {
    return lender.stats().read();
  }

  /** Makes every peak the current value. */
  public void resetPeaks() {
    lender.stats().resetPeaks();
  }

  /** How many page-locked bytes the pool has, held, free and in flight. */
  public long getLockedBytes() {
    return lender.stats().getReservedBytes();
  }

  /** How many of them are free; asks the driver which copies are done. */
  public long getFreeBytes() {
    return lender.freeBytes();
  }

  /** Buffers that were handed out without taking memory from the host. */
  public long getHits() {
    return lender.stats().getHits();
  }

  /** Buffers that were not. */
  public long getMisses() {
    return lender.stats().getMisses();
  }

  /**
   * Gives free buffers back to the host, the least recently used first.
   *
   * @param keepBytes how many free bytes may stay; not negative
   */
  public void trim(long keepBytes) {
    TrimTarget.requireNotNegative(keepBytes);
    lender.trim(keepBytes, /* waits= */ false);
  }

  /**
   * Waits for copies in flight and gives all back; a held buffer goes back when it is closed. After
   * a failure it may be called again, for what could not go back.
   */
  @Override
  public void close() {
    lender.close();
  }

  @Override
  public String toString() {
    return "PinnedPool of device "
        + device.getOrdinal()
        + ", "
        + ByteSize.format(lender.stats().getReservedBytes())
        + " locked, "
        + ByteSize.format(lender.stats().getAllocatedBytes())
        + " held";
  }
}
