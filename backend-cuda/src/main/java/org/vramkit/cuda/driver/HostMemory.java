package org.vramkit.cuda.driver;

import java.nio.ByteBuffer;

/** Page-locked or managed memory in a type of the binding. Immutable. */
public interface HostMemory {

  /** Returns the host address. */
  long getAddress();

  /**
   * Returns a view of a range, without bounds checks.
   *
   * @param offset first byte
   * @param bytes the length
   */
  ByteBuffer view(long offset, int bytes);
}
