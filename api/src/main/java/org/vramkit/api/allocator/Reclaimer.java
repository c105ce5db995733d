package org.vramkit.api.allocator;

/**
 * Frees memory that its owner can do without for now, such as buffers that can move to the host. An
 * allocator calls its reclaimers before an allocation fails, and before the user's out-of-memory
 * handler.
 *
 * @see Allocator#addReclaimer
 */
@FunctionalInterface
public interface Reclaimer {

  /**
   * Frees memory; the caller then tries the allocation again. Runs on the allocating thread without
   * a lock of the allocator; several threads may call it at once. After an exception, the allocator
   * calls the next reclaimer. If the allocation fails in the end, its error contains the exception
   * as a suppressed one.
   *
   * @param bytes the size that is needed
   * @return the freed bytes; 0 if there are none to free
   */
  long reclaim(long bytes);
}
