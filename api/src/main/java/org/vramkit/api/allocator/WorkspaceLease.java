package org.vramkit.api.allocator;

import org.vramkit.api.device.MemoryArgument;

/**
 * A lease of scratch memory. Closing a lease twice is harmless; using a closed lease is an error.
 */
public interface WorkspaceLease extends MemoryArgument, AutoCloseable {

  /** Returns the device address of the first byte. */
  @Override
  long getAddress();

  /** Returns the size of the slab in bytes, at least the requested size. */
  long getSize();

  /**
   * Returns the slab to the workspace in stream order: work submitted before this call may still
   * use it.
   */
  @Override
  void close();
}
