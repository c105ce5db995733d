package org.vramkit.api.allocator;

/**
 * Frees memory that its owner can do without for now, such as buffers that can move to the host. An
 * allocator asks its reclaimers before an allocation fails, and before a handler of its user.
 *
 * @see Allocator#addReclaimer
 */
@FunctionalInterface
public interface Reclaimer {

  /**
   * Frees memory, for the caller to try the allocation again. Runs on the allocating thread without
   * a lock of the allocator; several threads may call it at once. An exception does not keep the
   * allocator from asking others; if the allocation fails in the end, its error has the exception
   * suppressed.
   *
   * @param bytes the size that is wanted
   * @return the bytes that were freed; 0 if there are none to free
   */
  long reclaim(long bytes);
}
