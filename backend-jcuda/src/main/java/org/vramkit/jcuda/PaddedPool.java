package org.vramkit.jcuda;

import jcuda.driver.CUmemoryPool;

/**
 * A pool's handle with room to spare: JCuda 12.6.0 zeroes eight bytes behind the handle object when
 * it creates a pool, which without the field would be the header of the next object on the heap.
 */
final class PaddedPool extends CUmemoryPool {
  /** Overwritten by the binding; never read. */
  @SuppressWarnings({"unused", "UnusedVariable"})
  private long spare;
}
