package org.vramkit.pool.caching.internal.heap;

import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.DeviceMemory;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.pool.caching.internal.option.CachingAllocatorOptions;

/**
 * Provides the memory of a heap, as regions and their chunks, and decides which part of a free
 * block an allocation takes. Methods that may call the driver are called under the growth lock,
 * without the heap's lock; the others are called under the heap's lock.
 */
public interface MemorySource {
  /**
   * Creates sources of virtual memory, without addresses yet.
   *
   * @param firstAddresses bytes of addresses to reserve at the first growth
   */
  static Function<Heap, MemorySource> ofPages(
      Device device, CachingAllocatorOptions options, long firstAddresses) {
    return heap -> new VirtualMemorySource(heap, device, options, firstAddresses);
  }

  static Function<Heap, MemorySource> ofSegments(DeviceMemory memory) {
    return heap -> new PlainMemorySource(heap, memory);
  }

  /**
   * Returns the free block of an index that serves a request best; null if there is none. Called
   * under the heap's lock.
   *
   * @param wasteful whether a much larger block may serve, because nothing else is left
   */
  @Nullable Block bestFit(FreeIndex index, long size, boolean wasteful);

  /**
   * Returns the block to take if no index has a {@link #bestFit}, even if the block could return to
   * the driver as a whole; null if there is none. Called under the heap's lock.
   */
  @Nullable Block wholeFit(FreeIndex index, long size, boolean wasteful);

  /** Returns the address of an allocation within a free block. Called under the heap's lock. */
  long addressIn(Block free, long size);

  /** Returns the bytes of a free block that an allocation takes. Called under the heap's lock. */
  long takenOf(Block free, long size);

  /**
   * Moves memory, or takes it from the driver, and returns the block for an allocation. A failure
   * loses no memory, and leaves free memory free.
   *
   * @return null if the limits allow no more
   * @throws DeviceOutOfMemoryException if the driver refused
   */
  @Nullable Block grow(StreamState owner, long size, long alignment);

  /**
   * Gives settled memory back to the driver.
   *
   * @param wantedBytes bytes to give back, if there are enough
   * @param beyond whether the last chunk may exceed the bytes that are still wanted
   * @return bytes given back
   */
  long release(long wantedBytes, boolean beyond);

  /** Returns the least bytes that the driver would be asked for to serve a request now. */
  long bytesToTake(long size);

  /** Returns the bytes of chunks that serve a request wherever they are mapped. */
  long bytesFor(long size, long alignment);

  /**
   * Returns the bytes of chunks that are mapped nowhere, or could not be unmapped, after a failed
   * driver call.
   */
  long unplacedBytes();

  /** Returns all regions. Called under the heap's lock. */
  List<Region> regions();

  /** Gives all addresses back. Called when no memory is left. */
  void close();

  /**
   * Gives all memory and addresses back, chunk by chunk. The blocks, which may be inconsistent, are
   * ignored.
   */
  void abandon();
}
