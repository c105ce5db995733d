package org.vramkit.agent;

import java.nio.ByteBuffer;

/** Memory of the host with known bounds, which callers check. */
interface HostMemory {

  /** Returns the number of bytes. */
  long size();

  /** Returns bytes from an offset on. */
  ByteBuffer read(int offset, int bytes);

  /** Writes bytes from an offset on. */
  void write(int offset, ByteBuffer bytes);
}
