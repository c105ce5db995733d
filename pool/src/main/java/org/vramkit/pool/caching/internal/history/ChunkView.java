package org.vramkit.pool.caching.internal.history;

/** A chunk as it was at one moment. */
final class ChunkView {
  final Chunk chunk;

  /** Its bytes, which stay here when the ring drops them. */
  final byte[] data;

  private final long published;

  /**
   * A view.
   *
   * @param published events and bytes by then
   */
  ChunkView(Chunk chunk, byte[] data, long published) {
    this.chunk = chunk;
    this.data = data;
    this.published = published;
  }

  int events() {
    return Chunk.eventsOf(published);
  }

  int bytes() {
    return Chunk.bytesOf(published);
  }
}
