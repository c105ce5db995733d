package org.vramkit.pool.buffer;

import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.device.Stream;
import org.vramkit.pool.support.AllocatedPiece;
import org.vramkit.pool.support.CapturedStreams;

/** The memory of a buffer, live or cached. */
final class CachedBuffer extends AllocatedPiece<BufferKey> {
  CachedBuffer(BufferKey key, Allocator allocator, CapturedStreams captured) {
    super(key, key.bytes(), key.stream(), allocator, captured);
  }

  /** Refuses a new stream that reuses the handle of the buffer's closed stream. */
  @Override
  protected boolean suits(@Nullable Stream stream) {
    return stream != null && isOf(stream);
  }

  void recordUse(Stream stream) {
    if (!isOf(stream)) {
      uses.record(stream);
      used(stream);
    }
  }

  @Override
  protected Stream own() {
    return key().stream();
  }

  @Override
  protected boolean isOrphan() {
    return own().isClosed();
  }
}
