package org.vramkit.pool.caching.internal.heap;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.error.DeviceOutOfMemoryException;

/**
 * The memory beneath a heap: where regions and their chunks come from, and which parts of free
 * blocks an allocation may take. Methods that call the driver are called under the growth lock and
 * without the heap's; the others under the heap's.
 */
interface MemorySource {
  /**
   * The free block of an index that serves a request best; null if none does. Locked.
   *
   * @param wasteful whether a much larger block may serve too, because nothing else is left
   */
  @Nullable Block bestFit(FreeIndex index, long size, boolean wasteful);

  /**
   * The free block of an index that serves a request where no {@link #bestFit} does, because it
   * could still go back to the driver as a whole; null if none does. Locked.
   */
  @Nullable Block wholeFit(FreeIndex index, long size, boolean wasteful);

  /** Returns the address of an allocation within a free block. Called under the lock. */
  long addressIn(Block free, long size);

  /** How many bytes of a free block an allocation takes. Locked. */
  long takenOf(Block free, long size);

  /**
   * Makes room for an allocation: moves memory, or takes it from the driver. Whatever fails, no
   * memory is lost, and what was free is free.
   *
   * @return null if the limits allow no more
   * @throws DeviceOutOfMemoryException if the driver refused
   */
  @Nullable Block grow(StreamState owner, long size, long alignment);

  /**
   * Gives settled memory back to the driver.
   *
   * @param wantedBytes how much
   * @param beyond whether the last chunk may have more bytes than are still wanted
   * @return bytes given back
   */
  long release(long wantedBytes, boolean beyond);

  /** Bytes that the driver would be asked for, at least, to serve a request now. */
  long bytesToTake(long size);

  /** Bytes of chunks that serve a request for sure, wherever they have to lie. */
  long bytesFor(long size, long alignment);

  /** Bytes of chunks that a failed driver call left without a place. */
  long unplacedBytes();

  /** Every region, lowest first. Locked. */
  List<Region> regions();

  /** Gives addresses back; no memory is left. */
  void close();

  /** Gives all memory and addresses back by what is known of chunks, whatever blocks there are. */
  void abandon();
}
