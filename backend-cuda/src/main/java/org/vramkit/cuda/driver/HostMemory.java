package org.vramkit.cuda.driver;

import java.nio.ByteBuffer;

/** Page-locked or managed memory as a binding keeps it. Immutable. */
public interface HostMemory {

  /** Its address in the host's memory. */
  long getAddress();

  /**
   * A view of a part, without bounds checks.
   *
   * @param offset first byte
   * @param bytes how many
   */
  ByteBuffer view(long offset, int bytes);
}
