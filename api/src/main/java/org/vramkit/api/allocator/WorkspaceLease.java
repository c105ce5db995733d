package org.vramkit.api.allocator;

/** A lease of scratch memory. Closing it twice is harmless; using it after close is an error. */
public interface WorkspaceLease extends AutoCloseable {

  /** Returns the device address of the first byte. */
  long getAddress();

  /** Returns the size of the slab in bytes, at least the requested size. */
  long getSize();

  /** Returns the slab in the order of its stream. */
  @Override
  void close();
}
