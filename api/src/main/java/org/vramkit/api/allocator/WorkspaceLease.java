package org.vramkit.api.allocator;

/** Scratch memory until closed; closing twice is harmless, use after close an error. */
public interface WorkspaceLease extends AutoCloseable {

  /** The device address of the first byte. */
  long getAddress();

  /** The size of the slab, at least what was asked for, in bytes. */
  long getSize();

  /** Returns the slab as of this point of its stream. */
  @Override
  void close();
}
