package org.vramkit.api.allocator;

import org.vramkit.api.device.Stream;

/**
 * Scratch memory for library calls whose needs change from call to call. Leases come from slabs
 * that are kept by size class.
 */
public interface Workspace extends AutoCloseable {

  /**
   * Leases scratch memory that work submitted to the stream may use until the lease is closed.
   *
   * @param bytes how many at least; 0 gives the smallest class
   * @param stream the stream that will use it
   * @throws org.vramkit.api.error.DeviceOutOfMemoryException naming the class size
   */
  WorkspaceLease acquire(long bytes, Stream stream);

  /** How many slabs are free, over all classes. */
  long getFreeSlabs();

  /** How many bytes those are. */
  long getFreeBytes();

  /** Gives every free slab back. Harmless when repeated. */
  @Override
  void close();
}
