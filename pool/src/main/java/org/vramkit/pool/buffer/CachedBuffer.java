package org.vramkit.pool.buffer;

import java.util.List;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.device.Stream;
import org.vramkit.pool.support.CapturedStreams;
import org.vramkit.pool.support.LeasedMemory;
import org.vramkit.pool.support.Piece;
import org.vramkit.pool.support.StreamPoint;
import org.vramkit.pool.support.StreamUses;
import org.vramkit.pool.support.Streams;

/** The memory of a buffer, live or cached. */
final class CachedBuffer extends Piece<BufferKey> {
  final LeasedMemory memory;
  private final Allocator allocator;

  CachedBuffer(BufferKey key, Allocator allocator, CapturedStreams captured) {
    super(key, key.bytes(), new StreamUses(captured));
    this.allocator = allocator;
    this.memory = new LeasedMemory(allocator.getDevice());
  }

  void recordUse(Stream stream) {
    if (!isOf(stream)) {
      uses.record(stream);
      memory.used(stream);
    }
  }

  /**
   * Returns whether the buffer belongs to a stream. A new stream that reuses the handle of a closed
   * stream is a different stream.
   */
  boolean isOf(Stream stream) {
    return Streams.areSame(stream, own());
  }

  @Override
  protected Stream own() {
    return key().stream();
  }

  @Override
  protected boolean isOrphan() {
    return own().isClosed();
  }

  @Override
  protected void fill() {
    memory.allocate(() -> allocator.allocate(size(), key().stream()));
  }

  @Override
  protected void giveBack(List<StreamPoint> users) {
    memory.giveBack(users);
  }

  @Override
  protected boolean isGone() {
    return memory.isGone();
  }
}
