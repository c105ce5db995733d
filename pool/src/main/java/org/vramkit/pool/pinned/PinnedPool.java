package org.vramkit.pool.pinned;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.MemoryObserver;
import org.vramkit.api.error.Batch;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.DriverStatus;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.support.OwnCalls;
import org.vramkit.pool.support.PoolEdge;
import org.vramkit.pool.support.TrimTarget;

/**
 * Page-locked host buffers for asynchronous copies. Taking one from the driver costs as much as
 * copying megabytes, so a closed buffer is kept, and handed out again once the copies that use it
 * are done. Safe for any thread.
 *
 * <p>One lock guards the buffers that nobody holds and the figures. The driver is never called
 * under it: questions, waits for copies, and all that is taken from the host or given back to it
 * happen outside, so that no hit waits for another thread's copy.
 */
public final class PinnedPool implements AutoCloseable {
  private final Device device;
  private final long byteLimit;
  private final PinnedStock stock;

  PinnedPool(Device device, long byteLimit) {
    this.device = device;
    this.byteLimit = byteLimit;
    this.stock = new PinnedStock(byteLimit, PoolEdge.of(device));
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
  public HostBuffer take(long bytes) {
    requireSize(bytes);
    return HostBuffer.of(this, obtain(PinnedClasses.sizeFor(bytes), bytes), bytes);
  }

  /**
   * Takes a buffer that is wanted only if it is there: one of its size class that was closed
   * before, and whose copies are done. Takes no memory from the host, and waits for nothing.
   *
   * @param bytes more than 0
   * @return null if none is there
   * @throws ClosedException if the pool is closed
   */
  public @Nullable HostBuffer tryTake(long bytes) {
    requireSize(bytes);
    CachedPinned there = stock.take(PinnedClasses.sizeFor(bytes));
    return there == null ? null : HostBuffer.of(this, there, bytes);
  }

  private static void requireSize(long bytes) {
    if (bytes <= 0 || bytes > PinnedClasses.LARGEST) {
      throw new InvalidArgumentException(
          "a page-locked buffer must have from 1 byte to 1 EiB, not " + bytes);
    }
  }

  private CachedPinned obtain(long size, long bytes) {
    while (true) {
      long seen = stock.changes();
      CachedPinned kept = stock.take(size);
      if (kept != null) {
        return kept;
      }
      if (!stock.leaves(size)) {
        throw refusal(size, bytes, null);
      }
      long excess = stock.claim(size);
      if (excess > 0) {
        makeRoom(excess, seen);
        continue;
      }
      try {
        return allocate(size);
      } catch (DeviceOutOfMemoryException e) {
        if (!makeRoom(Long.MAX_VALUE, seen)) {
          throw refusal(size, bytes, e);
        }
      }
    }
  }

  /** Takes memory that was claimed from the host. */
  private CachedPinned allocate(long size) {
    CachedPinned fresh;
    try {
      fresh = new CachedPinned(device.getPinnedMemory().allocate(size));
    } catch (RuntimeException | Error e) {
      stock.unclaim(size);
      throw e;
    }
    try {
      stock.countMiss();
    } catch (ClosedException e) {
      Batch.after(e, () -> giveBack(fresh));
      throw e;
    }
    return fresh;
  }

  /**
   * Gives free buffers of so many bytes back to the host, else waits for the copy that was closed
   * first, else for another thread that does either.
   *
   * @param seen the changes when memory was looked for
   * @return false if there was none of these
   */
  private boolean makeRoom(long bytes, long seen) {
    List<CachedPinned> spare = stock.giveUp(bytes);
    if (spare.isEmpty()) {
      return stock.awaitFree(seen);
    }
    underway(() -> Batch.forEach(spare, this::release));
    return true;
  }

  private void underway(Runnable errand) {
    try {
      errand.run();
    } finally {
      stock.arrive();
    }
  }

  /** Gives a buffer of no list back to the host, once the copies that use it are done. */
  private void release(CachedPinned buffer) {
    buffer.uses.awaitAndThen(() -> close(buffer), () -> stock.keepInFlight(buffer));
  }

  private void close(CachedPinned buffer) {
    try {
      OwnCalls.make(device, buffer.memory::close);
    } finally {
      // In any case: what the driver says to it does not make the buffer ours again.
      stock.leave(buffer);
    }
  }

  private DeviceOutOfMemoryException refusal(
      long size, long bytes, @Nullable DeviceOutOfMemoryException cause) {
    boolean isLimited = byteLimit != Long.MAX_VALUE;
    String limit = isLimited ? "limit " + ByteSize.format(byteLimit) : "no limit";
    return new DeviceOutOfMemoryException(
        "no page-locked memory for "
            + bytes
            + " bytes (class "
            + ByteSize.format(size)
            + "): "
            + ByteSize.format(stock.heldBytes())
            + " are held, "
            + limit
            + (isLimited
                ? "; close buffers or raise the limit"
                : "; close buffers or ask for less: the driver locks no more"),
        bytes,
        cause == null ? DriverStatus.NONE : cause.getStatus(),
        cause);
  }

  /** Who hears of what is handed out. */
  MemoryObserver observer() {
    return device.getMemoryObserver();
  }

  void giveBack(CachedPinned buffer) {
    // Comes in also where its copies could not be marked: they are marked later.
    Batch.run(buffer.uses::mark, () -> comeIn(buffer, buffer.size()));
  }

  private void comeIn(CachedPinned buffer, long bytesHeld) {
    if (!stock.comeIn(buffer, bytesHeld)) {
      underway(() -> release(buffer));
    }
  }

  /** How many page-locked bytes the pool has, held, free and in flight. */
  public long getLockedBytes() {
    return stock.lockedBytes();
  }

  /** How many of them are free; asks the driver which copies are done. */
  public long getFreeBytes() {
    return stock.freeBytes();
  }

  /** Buffers that were handed out without taking memory from the host. */
  public long getHits() {
    return stock.hits();
  }

  /** Buffers that were not. */
  public long getMisses() {
    return stock.misses();
  }

  /**
   * Gives free buffers back to the host, the least recently used first.
   *
   * @param keepBytes how many free bytes may stay; not negative
   */
  public void trim(long keepBytes) {
    TrimTarget.requireNotNegative(keepBytes);
    List<CachedPinned> spare = stock.startTrim(keepBytes);
    underway(() -> Batch.forEach(spare, this::release));
  }

  /**
   * Waits for copies in flight and gives all back; a held buffer goes back when it is closed. After
   * a failure it may be called again, for what could not go back.
   */
  @Override
  public void close() {
    List<CachedPinned> all = stock.startClose();
    Batch.run(() -> underway(() -> Batch.forEach(all, this::release)), stock::awaitOthers);
  }

  @Override
  public String toString() {
    return "PinnedPool of device "
        + device.getOrdinal()
        + ", "
        + ByteSize.format(stock.lockedBytes())
        + " locked, "
        + ByteSize.format(stock.heldBytes())
        + " held";
  }
}
