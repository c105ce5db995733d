package org.vramkit.pool.pinned;

import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.pool.support.RecordedUses;

/** One piece of page-locked memory and the streams whose copies use it. */
final class CachedPinned {
  final PinnedBuffer memory;
  final RecordedUses uses = new RecordedUses();
  private final long address;
  private final long size;

  CachedPinned(PinnedBuffer memory) {
    this.memory = memory;
    this.address = memory.getAddress();
    this.size = memory.getSize();
  }

  /** Its first byte, also once the memory has gone back. */
  long address() {
    return address;
  }

  /** Bytes, also once the memory has gone back. */
  long size() {
    return size;
  }
}
