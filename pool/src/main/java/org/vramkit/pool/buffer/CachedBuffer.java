package org.vramkit.pool.buffer;

import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.Stream;
import org.vramkit.pool.support.RecordedUses;

/**
 * One piece of memory of the pool, and which other streams use it. Owned by one party at a time: a
 * user's buffer, or the cache of its device.
 */
final class CachedBuffer {
  final BufferKey key;
  final Allocation memory;
  final RecordedUses uses = new RecordedUses();

  CachedBuffer(BufferKey key, Allocation memory) {
    this.key = key;
    this.memory = memory;
  }

  long size() {
    return memory.getSize();
  }

  void recordUse(Stream stream) {
    if (!stream.equals(key.stream())) {
      uses.record(stream);
    }
  }

  /** Gives the memory back to its allocator, which waits for the users that are left. */
  void free() {
    uses.passOn(memory::recordUse);
    memory.close();
  }
}
