package org.vramkit.pool.buffer;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.ElementType;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.Batch;
import org.vramkit.api.error.InvalidArgumentException;

/**
 * Typed buffers of one or several devices. A closed buffer is kept and serves the next request for
 * the same device, stream, element type and rounded count, the newest first, without a driver call.
 * Safe for any thread.
 */
public final class BufferPool implements AutoCloseable {
  private final Map<Integer, DeviceCache> caches = new TreeMap<>();

  BufferPool(List<Allocator> allocators, long byteBudget) {
    for (Allocator allocator : allocators) {
      caches.put(allocator.getDevice().getOrdinal(), new DeviceCache(allocator, byteBudget));
    }
  }

  /** Settings for a pool over one allocator for each device; the pool does not close them. */
  public static BufferPoolBuilder builder(Collection<? extends Allocator> allocators) {
    return new BufferPoolBuilder(allocators);
  }

  /** A pool over one device's allocator, with the default settings. */
  public static BufferPool create(Allocator allocator) {
    return builder(List.of(Objects.requireNonNull(allocator, "allocator"))).build();
  }

  /**
   * Takes a buffer whose elements are whatever the memory last held.
   *
   * @param type what the elements are
   * @param count how many; 0 gives an empty buffer at address 0
   * @param stream the stream that may use it; brings the device
   * @throws InvalidArgumentException if the count is negative or its bytes overflow, or if the pool
   *     has no allocator for the stream's device
   * @throws org.vramkit.api.error.ClosedException if the pool is closed
   * @throws org.vramkit.api.error.DeviceOutOfMemoryException if there is too little memory even
   *     with this device's cache emptied
   */
  public TypedBuffer acquire(ElementType type, long count, Stream stream) {
    if (count < 0) {
      throw new InvalidArgumentException(
          "a buffer cannot have " + count + " elements of " + type + ": negative");
    }
    DeviceCache cache = cacheOf(stream);
    BufferKey key = BufferKey.of(stream, count, type);
    try {
      return cache.acquire(key, count);
    } catch (InvalidArgumentException e) {
      // The allocator was asked for the rounded count, and speaks of that.
      throw new InvalidArgumentException(
          "cannot take a buffer of " + count + " elements of " + type + ": " + e.getMessage());
    }
  }

  /**
   * Takes a buffer that is wanted only if it is there: one that was closed before. Allocates
   * nothing, and waits for nothing.
   *
   * @param type what the elements are
   * @param count more than 0
   * @param stream the stream that may use it; brings the device
   * @return null if none is there
   * @throws InvalidArgumentException if the count is not more than 0, or if the pool has no
   *     allocator for the stream's device
   * @throws org.vramkit.api.error.ClosedException if the pool is closed
   */
  public @Nullable TypedBuffer tryAcquire(ElementType type, long count, Stream stream) {
    if (count <= 0) {
      throw new InvalidArgumentException(
          "a buffer that is wanted only if it is there must have more than 0 elements, not "
              + count);
    }
    DeviceCache cache = cacheOf(stream);
    return cache.tryAcquire(BufferKey.of(stream, count, type), count);
  }

  /** Takes a buffer whose elements are 0, by one asynchronous fill. */
  public TypedBuffer acquireZeroed(ElementType type, long count, Stream stream) {
    TypedBuffer buffer = acquire(type, count, stream);
    try {
      if (count > 0) {
        stream.fill(buffer.getAddress(), (byte) 0, buffer.getSize());
      }
      return buffer;
    } catch (RuntimeException | Error e) {
      Batch.after(e, buffer::close);
      throw e;
    }
  }

  private DeviceCache cacheOf(Stream stream) {
    int ordinal = stream.getDevice().getOrdinal();
    DeviceCache cache = caches.get(ordinal);
    if (cache == null) {
      throw new InvalidArgumentException(
          "the buffer pool has no allocator for device "
              + ordinal
              + "; it has them for "
              + caches.keySet());
    }
    return cache;
  }

  private DeviceCache cacheOf(int ordinal) {
    @Nullable DeviceCache cache = caches.get(ordinal);
    if (cache == null) {
      throw new InvalidArgumentException(
          "the buffer pool has no device " + ordinal + "; it has " + caches.keySet());
    }
    return cache;
  }

  /** Counters over all devices. */
  public BufferStatistics getStatistics() {
    return caches.values().stream()
        .map(DeviceCache::statistics)
        .reduce(BufferStatistics.ZERO, BufferStatistics::plus);
  }

  /** Counters of one device. */
  public BufferStatistics getStatistics(int ordinal) {
    return cacheOf(ordinal).statistics();
  }

  /** Makes all counters 0. */
  public void resetStatistics() {
    caches.values().forEach(DeviceCache::resetStatistics);
  }

  /** Bytes of one device's buffers that no user holds. */
  public long getCachedBytes(int ordinal) {
    return cacheOf(ordinal).cachedBytes();
  }

  /**
   * Gives one device's buffers that no user holds back to its allocator; other devices keep theirs.
   */
  public void emptyCache(int ordinal) {
    cacheOf(ordinal).empty();
  }

  /** Gives all buffers that no user holds back to their allocators. */
  public void emptyCache() {
    Batch.forEach(caches.values(), DeviceCache::empty);
  }

  /**
   * Empties the caches; a buffer that is still held goes back when it is closed. After a failure it
   * may be called again, for what could not go back.
   */
  @Override
  public void close() {
    Batch.forEach(caches.values(), DeviceCache::close);
  }

  @Override
  public String toString() {
    return "BufferPool over " + caches.values();
  }
}
