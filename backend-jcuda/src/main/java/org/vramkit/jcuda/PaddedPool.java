package org.vramkit.jcuda;

import jcuda.driver.CUmemoryPool;

/**
 * A pool handle with padding: JCuda 12.6.0 zeroes the eight bytes after the handle object when it
 * creates a pool. Without the padding this would destroy the header of the next object on the Java
 * heap.
 */
final class PaddedPool extends CUmemoryPool {
  /** Overwritten by the binding; never read. */
  @SuppressWarnings({"unused", "UnusedVariable"})
  private long spare;
}
