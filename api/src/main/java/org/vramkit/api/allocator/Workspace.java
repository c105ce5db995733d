package org.vramkit.api.allocator;

import org.vramkit.api.device.Stream;

/**
 * Leases scratch memory for library calls whose workspace size varies from call to call. Leases are
 * served from slabs, which are kept by size class.
 */
public interface Workspace extends AutoCloseable {

  /**
   * Leases scratch memory. Work may use it if it is submitted to {@code stream} before the lease is
   * closed.
   *
   * @param bytes the minimum size in bytes, from 0 to 2^62; 0 selects the smallest class
   * @param stream the stream that will use the memory
   * @throws org.vramkit.api.error.DeviceOutOfMemoryException if there is too little memory; the
   *     message names the class size
   */
  WorkspaceLease acquire(long bytes, Stream stream);

  /** Returns the number of free slabs of all classes. */
  long getFreeSlabs();

  /** Returns the bytes of the free slabs. */
  long getFreeBytes();

  /**
   * Closes the workspace and returns its free slabs to the allocator. A leased slab is returned
   * when its lease is closed. Later calls of {@link #acquire} throw {@link
   * org.vramkit.api.error.ClosedException}. Repeated calls have no effect.
   */
  @Override
  void close();
}
