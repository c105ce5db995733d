package org.vramkit.agent;

import java.nio.ByteBuffer;

/** Memory of the host, as an argument of a call. */
interface HostMemory {

  /** Returns the address, if the memory has one that lasts; 0 for an array. */
  long getAddress();

  /**
   * Returns bytes from the start.
   *
   * @throws IllegalArgumentException if there are fewer, or the address is not of the host; a
   *     driver would read what follows, or end the process
   */
  ByteBuffer read(int bytes);

  /** Writes bytes at the start; throws as {@link #read}. */
  void write(ByteBuffer bytes);
}
