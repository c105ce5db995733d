package org.vramkit.pool.pinned;

import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.pool.support.RecordedUses;

/** One piece of page-locked memory and the streams whose copies use it. */
final class CachedPinned {
  final PinnedBuffer memory;
  final RecordedUses uses = new RecordedUses();
  private final long size;

  CachedPinned(PinnedBuffer memory) {
    this.memory = memory;
    this.size = memory.getSize();
  }

  /** Bytes, also once the memory has gone back. */
  long size() {
    return size;
  }
}
