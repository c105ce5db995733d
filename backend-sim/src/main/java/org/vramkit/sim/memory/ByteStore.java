package org.vramkit.sim.memory;

/** The bytes behind addresses, as work on devices reads and writes them. */
public interface ByteStore {
  void read(long offset, byte[] target, int at, int count);

  void write(long offset, byte[] source, int from, int count);

  /** Sets a range to one value. */
  void fill(long offset, byte value, long count);
}
