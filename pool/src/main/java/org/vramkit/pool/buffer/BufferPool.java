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
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.support.Streams;

/**
 * A pool of typed buffers of one or several devices. The pool caches closed buffers. A request
 * takes the most recently closed buffer with the same device, stream, element type and rounded
 * count, without a driver call. Thread-safe.
 *
 * <p>Before the pool allocates, it returns cached buffers of the device as long as its buffers
 * there would have more than twice the peak of the bytes in use plus 64 MiB. To the allocator,
 * cached buffers are live memory; the allocator's own free memory comes on top.
 */
public final class BufferPool implements AutoCloseable {
  private final Map<Integer, DeviceCache> caches = new TreeMap<>();

  BufferPool(List<Allocator> allocators, long byteBudget) {
    for (Allocator allocator : allocators) {
      caches.put(allocator.getDevice().getOrdinal(), new DeviceCache(allocator, byteBudget));
    }
  }

  /**
   * Returns a builder for a pool over one allocator for each device. The pool does not close the
   * allocators.
   */
  public static BufferPoolBuilder builder(Collection<? extends Allocator> allocators) {
    return new BufferPoolBuilder(allocators);
  }

  /** Creates a pool over the allocator of one device, with the default settings. */
  public static BufferPool create(Allocator allocator) {
    return builder(List.of(Objects.requireNonNull(allocator, "allocator"))).build();
  }

  /**
   * Acquires a buffer with undefined contents.
   *
   * @param type type of the elements
   * @param count number of elements; 0 gives an empty buffer at address 0
   * @param stream stream that uses the buffer; implies the device
   * @throws InvalidArgumentException if the count is negative or its bytes overflow, or if the pool
   *     has no allocator for the stream's device
   * @throws org.vramkit.api.error.ClosedException if the pool is closed
   * @throws org.vramkit.api.error.DeviceOutOfMemoryException if there is too little memory even
   *     after the cache of the device was emptied
   */
  public TypedBuffer acquire(ElementType type, long count, Stream stream) {
    if (count < 0) {
      throw new InvalidArgumentException(
          "a buffer cannot have " + count + " elements of " + type + "; " + ByteSize.NEGATIVE_HINT);
    }
    return cacheOf(stream).acquire(BufferKey.of(stream, count, type), count);
  }

  /**
   * Acquires a cached buffer with undefined contents, if there is one. Neither allocates nor waits.
   *
   * @param type type of the elements
   * @param count more than 0
   * @param stream stream that uses the buffer; implies the device
   * @return null if no cached buffer matches
   * @throws InvalidArgumentException if the count is not more than 0, or if the pool has no
   *     allocator for the stream's device
   * @throws org.vramkit.api.error.ClosedException if the pool is closed
   */
  public @Nullable TypedBuffer tryAcquire(ElementType type, long count, Stream stream) {
    if (count <= 0) {
      throw new InvalidArgumentException(
          "tryAcquire takes a count of more than 0 elements, not " + count);
    }
    DeviceCache cache = cacheOf(stream);
    return cache.tryAcquire(BufferKey.of(stream, count, type), count);
  }

  /** Acquires a buffer and fills it with zeros, by one asynchronous fill. */
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
    Streams.requirePresent(stream);
    return cacheOf(stream.getDevice().getOrdinal());
  }

  private DeviceCache cacheOf(int ordinal) {
    DeviceCache cache = caches.get(ordinal);
    if (cache == null) {
      throw new InvalidArgumentException(
          "the buffer pool has no allocator for device "
              + ordinal
              + "; it has allocators for devices "
              + caches.keySet());
    }
    return cache;
  }

  /** Returns the counters over all devices. */
  public BufferStatistics getStatistics() {
    return caches.values().stream()
        .map(DeviceCache::statistics)
        .reduce(BufferStatistics.ZERO, BufferStatistics::plus);
  }

  /** Returns the counters of a device. */
  public BufferStatistics getStatistics(int ordinal) {
    return cacheOf(ordinal).statistics();
  }

  /** Resets all counters to 0. */
  public void resetStatistics() {
    caches.values().forEach(DeviceCache::resetStatistics);
  }

  /** Returns the bytes of the cached buffers of a device. */
  public long getCachedBytes(int ordinal) {
    return cacheOf(ordinal).cachedBytes();
  }

  /** Returns the cached buffers of a device to its allocator; other devices keep theirs. */
  public void emptyCache(int ordinal) {
    cacheOf(ordinal).empty();
  }

  /** Returns all cached buffers to their allocators. */
  public void emptyCache() {
    Batch.forEach(caches.values(), DeviceCache::empty);
  }

  /**
   * Closes the pool and returns all cached buffers to their allocators. Other buffers return when
   * they are closed. After a failure, another call returns the remaining buffers.
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
