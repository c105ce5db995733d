package org.vramkit.pool.buffer;

import java.util.function.Consumer;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.Stream;
import org.vramkit.pool.support.LentMemory;
import org.vramkit.pool.support.RecordedUses;
import org.vramkit.pool.support.Streams;

/**
 * One piece of memory of the pool, and which other streams use it. Owned by one party at a time: a
 * user's buffer, or the cache of its device.
 */
final class CachedBuffer {
  final BufferKey key;
  final LentMemory memory;
  final RecordedUses uses = new RecordedUses();

  CachedBuffer(BufferKey key, Allocation memory) {
    this.key = key;
    this.memory = new LentMemory(memory);
  }

  /** Bytes, also once the memory has gone back. */
  long size() {
    return memory.getSize();
  }

  void recordUse(Stream stream) {
    if (!Streams.areSame(stream, key.stream())) {
      uses.record(stream);
      memory.used(stream);
    }
  }

  /**
   * Gives the memory back to its allocator, which waits for the users that are left.
   *
   * @param keeper takes the buffer if that fails and nobody knows when its users end
   */
  void free(Consumer<CachedBuffer> keeper) {
    memory.giveBack(uses, () -> keeper.accept(this));
  }
}
