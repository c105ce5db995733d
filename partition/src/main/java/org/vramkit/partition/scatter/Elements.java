package org.vramkit.partition.scatter;

import java.nio.ByteBuffer;

/** An array as bytes in native order. */
interface Elements {
  /** Into a buffer that has just the room. */
  void load(long from, long to, ByteBuffer target);

  /** From a buffer that has just these. */
  void store(long from, long to, ByteBuffer source);
}
