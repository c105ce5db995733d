package org.vramkit.pool.caching.internal.heap;

import org.jspecify.annotations.Nullable;

/**
 * Memory that the driver gave as a whole, and that moves and goes back as a whole: a physical
 * allocation of virtual memory, or the memory beneath a region of plain memory. Guarded by the
 * growth lock; where it lies is guarded by the heap's lock as well.
 */
final class Chunk {
  final long size;

  /** The driver's handle of virtual memory; unused for plain memory. */
  final long handle;

  /** Null while the chunk lies nowhere. */
  @Nullable Region region;

  /** The first byte of it, while it lies in a region. */
  long address;

  Chunk(long size, long handle) {
    this.size = size;
    this.handle = handle;
  }

  long end() {
    return address + size;
  }
}
