package org.vramkit.pool.caching;

/**
 * The source of a private pool's segments, for memory that plain driver allocation does not
 * provide, such as memory registered with a network card.
 *
 * <p>Called under a lock of the allocator, one call at a time, by a thread that allocates or
 * returns memory. An implementation must not use the allocator. Its exceptions propagate to the
 * caller, and the allocator's state is unchanged; a {@link
 * org.vramkit.api.error.DeviceOutOfMemoryException} starts the allocator's out-of-memory recovery.
 */
public interface SegmentSource {

  /**
   * Allocates memory that every stream of the pool's device can use at once. If the memory comes
   * from another allocator, which allocated it on one stream, wait for that stream before returning
   * it.
   *
   * @param bytes a multiple of 2 MiB
   * @return the address of its first byte, a multiple of 256
   */
  long allocate(long bytes);

  /**
   * Frees memory that {@link #allocate} returned. All work that uses the memory is complete.
   *
   * @param address the address that {@link #allocate} returned
   * @param bytes the size that was requested
   */
  void free(long address, long bytes);
}
