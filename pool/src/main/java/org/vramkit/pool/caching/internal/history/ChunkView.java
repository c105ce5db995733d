package org.vramkit.pool.caching.internal.history;

/**
 * A chunk as it was at one moment.
 *
 * @param published events and bytes by then
 */
record ChunkView(Chunk chunk, long published) {
  int events() {
    return Chunk.eventsOf(published);
  }

  int bytes() {
    return Chunk.bytesOf(published);
  }
}
