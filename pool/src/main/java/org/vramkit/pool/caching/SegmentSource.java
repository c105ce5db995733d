package org.vramkit.pool.caching;

/**
 * Where a private pool has its segments from: memory of a kind that the driver's plain allocation
 * does not give, such as memory registered with a network card.
 *
 * <p>Called under a lock of the allocator, by whichever thread needs memory or gives it back, one
 * call at a time: an implementation must not use the allocator. What it throws reaches the user of
 * the allocator, which stays as it was; a {@link org.vramkit.api.error.DeviceOutOfMemoryException}
 * is taken for a lack of memory, and everything is tried that may end it.
 */
public interface SegmentSource {

  /**
   * Takes memory that the pool's device can use, on any stream and at once: what another allocator
   * handed out for a stream is usable elsewhere only after a wait for that one.
   *
   * @param bytes a multiple of 2 MiB
   * @return the address of its first byte, a multiple of 256
   */
  long allocate(long bytes);

  /**
   * Takes back what {@link #allocate} gave; no work uses it any more.
   *
   * @param address what was returned
   * @param bytes what was asked for
   */
  void free(long address, long bytes);
}
