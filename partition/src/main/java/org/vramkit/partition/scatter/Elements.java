package org.vramkit.partition.scatter;

import java.nio.ByteBuffer;

/** Copies elements of an array to and from bytes in native order. */
interface Elements {
  /** Copies elements to {@code target}, whose remaining size matches exactly. */
  void load(long from, long to, ByteBuffer target);

  /** Copies elements from {@code source}, whose remaining size matches exactly. */
  void store(long from, long to, ByteBuffer source);
}
