package org.vramkit.pool.buffer;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.error.Batch;
import org.vramkit.api.error.ClosedException;

/**
 * Elements of one type in device memory, until closed; closing twice is harmless, use after close
 * an error.
 */
public final class TypedBuffer extends ElementRange implements AutoCloseable {
  private final DeviceCache cache;
  private final AtomicReference<@Nullable CachedBuffer> buffer;

  private TypedBuffer(DeviceCache cache, CachedBuffer buffer, long count) {
    super(buffer.key.type(), count);
    this.cache = cache;
    this.buffer = new AtomicReference<>(buffer);
  }

  /** A buffer in its user's hands; where that cannot be told, it goes back. */
  static TypedBuffer of(DeviceCache cache, CachedBuffer buffer, long count) {
    TypedBuffer typed = new TypedBuffer(cache, buffer, count);
    try {
      buffer.memory.handedOut(typed.getSize(), buffer.key.stream());
      return typed;
    } catch (RuntimeException | Error e) {
      Batch.after(e, () -> cache.giveBack(buffer, count > 0));
      throw e;
    }
  }

  /** Whether it was closed. */
  public boolean isClosed() {
    return buffer.get() == null;
  }

  @Override
  CachedBuffer open() {
    CachedBuffer held = buffer.get();
    if (held == null) {
      throw new ClosedException(
          "the " + this,
          "its elements may be another's",
          "use it before its close, or take a new one");
    }
    return held;
  }

  @Override
  long first() {
    return 0;
  }

  /** Returns the buffer to its pool as of this point of its stream. */
  @Override
  public void close() {
    CachedBuffer held = buffer.getAndSet(null);
    if (held != null) {
      try {
        held.memory.takenBack(getSize(), held.key.stream());
      } finally {
        cache.giveBack(held, getCount() > 0);
      }
    }
  }

  @Override
  public String toString() {
    return "buffer of " + getCount() + " " + getType();
  }
}
