package org.vramkit.pool.pinned;

import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Device;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.DriverStatus;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.support.Batch;
import org.vramkit.pool.support.FreeLists;

/**
 * Page-locked host buffers for asynchronous copies. Taking one from the driver costs as much as
 * copying megabytes, so a closed buffer is kept, and handed out again once the copies that use it
 * are done. Safe for any thread.
 *
 * <p>One lock guards everything. The driver is called under it only beside the hit: when a size is
 * asked for that nothing free has.
 */
public final class PinnedPool implements AutoCloseable {
  private final Device device;
  private final long byteLimit;
  private final ReentrantLock lock = new ReentrantLock();
  private final FreeLists<Long, CachedPinned> free = new FreeLists<>(CachedPinned::size);

  /** Closed buffers that copies still use, in the order of their return. */
  private final ArrayDeque<CachedPinned> inFlight = new ArrayDeque<>();

  private long lockedBytes;
  private long hits;
  private long misses;
  private boolean closed;

  PinnedPool(Device device, long byteLimit) {
    this.device = device;
    this.byteLimit = byteLimit;
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
   * @throws DeviceOutOfMemoryException if the limit or the host forbids it, even once all copies in
   *     flight are done and nothing free is kept
   */
  public HostBuffer take(long bytes) {
    if (bytes <= 0 || bytes > PinnedClasses.LARGEST) {
      throw new InvalidArgumentException(
          "a page-locked buffer must have from 1 byte to 1 EiB, not " + bytes);
    }
    long size = PinnedClasses.sizeFor(bytes);
    lock.lock();
    try {
      if (closed) {
        throw new ClosedException("the pool of page-locked buffers is closed");
      }
      CachedPinned found = free.take(size);
      if (found == null) {
        settle();
        found = free.take(size);
      }
      if (found == null) {
        misses++;
        found = grow(size, bytes);
      } else {
        hits++;
      }
      return new HostBuffer(this, found, bytes);
    } finally {
      lock.unlock();
    }
  }

  /** Moves buffers whose copies are done to the free ones. Locked. */
  private void settle() {
    for (Iterator<CachedPinned> it = inFlight.iterator(); it.hasNext(); ) {
      CachedPinned buffer = it.next();
      if (buffer.uses.isSettled()) {
        it.remove();
        free.add(buffer.size(), buffer);
      }
    }
  }

  /**
   * New memory; makes room under the limit by what is free, then by what copies still use. Locked.
   */
  private CachedPinned grow(long size, long bytes) {
    while (lockedBytes > byteLimit - size) {
      release(free.bytes() - Math.min(free.bytes(), lockedBytes - (byteLimit - size)));
      if (lockedBytes > byteLimit - size && !awaitOldest()) {
        throw refusal(size, bytes, null);
      }
    }
    while (true) {
      try {
        CachedPinned fresh = new CachedPinned(device.getPinnedMemory().allocate(size));
        lockedBytes += size;
        return fresh;
      } catch (DeviceOutOfMemoryException e) {
        if (release(0) == 0 && !awaitOldest()) {
          throw refusal(size, bytes, e);
        }
      }
    }
  }

  private boolean awaitOldest() {
    CachedPinned oldest = inFlight.peekFirst();
    if (oldest == null) {
      return false;
    }
    oldest.uses.await();
    inFlight.removeFirst();
    free.add(oldest.size(), oldest);
    return true;
  }

  /** Gives free buffers back to the host, the least recently used first. Locked. */
  private long release(long keepBytes) {
    List<CachedPinned> released = free.evictTo(keepBytes);
    long bytes = released.stream().mapToLong(CachedPinned::size).sum();
    // Counted first: what the driver says to it does not make a buffer ours again.
    lockedBytes -= bytes;
    Batch.forEach(released, each -> each.memory.close());
    return bytes;
  }

  private DeviceOutOfMemoryException refusal(
      long size, long bytes, @Nullable DeviceOutOfMemoryException cause) {
    String limit = byteLimit == Long.MAX_VALUE ? "no limit" : "limit " + ByteSize.format(byteLimit);
    return new DeviceOutOfMemoryException(
        "no page-locked memory for "
            + bytes
            + " bytes (class "
            + ByteSize.format(size)
            + "): "
            + ByteSize.format(lockedBytes)
            + " are held, "
            + limit
            + "; close buffers or raise the limit",
        bytes,
        cause == null ? DriverStatus.NONE : cause.getStatus(),
        cause);
  }

  void giveBack(CachedPinned buffer) {
    // Kept also where its copies could not be marked: they are marked later.
    Batch.run(buffer.uses::mark, () -> keep(buffer));
  }

  private void keep(CachedPinned buffer) {
    lock.lock();
    try {
      if (buffer.uses.isEmpty()) {
        free.add(buffer.size(), buffer);
      } else {
        inFlight.addLast(buffer);
        if (closed) {
          awaitOldest();
        }
      }
      if (closed) {
        release(0);
      }
    } finally {
      lock.unlock();
    }
  }

  /** How many page-locked bytes the pool has, held, free and in flight. */
  public long getLockedBytes() {
    lock.lock();
    try {
      return lockedBytes;
    } finally {
      lock.unlock();
    }
  }

  /** How many of them are free. */
  public long getFreeBytes() {
    lock.lock();
    try {
      settle();
      return free.bytes();
    } finally {
      lock.unlock();
    }
  }

  /** Buffers that were handed out without taking memory from the host. */
  public long getHits() {
    lock.lock();
    try {
      return hits;
    } finally {
      lock.unlock();
    }
  }

  /** Buffers that were not. */
  public long getMisses() {
    lock.lock();
    try {
      return misses;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Gives free buffers back to the host, the least recently used first.
   *
   * @param keepBytes how many free bytes may stay; not negative
   */
  public void trim(long keepBytes) {
    if (keepBytes < 0) {
      throw new InvalidArgumentException("cannot keep " + keepBytes + " bytes: negative");
    }
    lock.lock();
    try {
      settle();
      release(keepBytes);
    } finally {
      lock.unlock();
    }
  }

  /** Waits for copies in flight and gives all back; a held buffer goes back when it is closed. */
  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      while (!inFlight.isEmpty()) {
        awaitOldest();
      }
      release(0);
    } finally {
      lock.unlock();
    }
  }
}
