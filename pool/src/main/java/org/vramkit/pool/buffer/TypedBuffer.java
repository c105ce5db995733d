package org.vramkit.pool.buffer;

import org.vramkit.api.error.ClosedException;
import org.vramkit.pool.support.Lease;

/**
 * A buffer of elements of one type in device memory. Repeated closes have no effect. Using a closed
 * buffer throws {@link ClosedException}.
 */
public final class TypedBuffer extends ElementRange implements AutoCloseable {
  private final Lease<CachedBuffer> lease;

  /** Creates the handle of a leased buffer, and reports the lease to the observer. */
  TypedBuffer(Lease<CachedBuffer> lease, BufferKey key, long count) {
    super(key.type(), count);
    this.lease = lease;
    open().leased(getSize(), key.stream());
  }

  /** Returns whether the buffer is closed. */
  public boolean isClosed() {
    return lease.isClosed();
  }

  @Override
  CachedBuffer open() {
    CachedBuffer held = lease.piece();
    if (held == null) {
      throw new ClosedException(
          "the " + this,
          "its memory may belong to another buffer now",
          "use the buffer before closing it, or acquire a new one");
    }
    return held;
  }

  @Override
  long first() {
    return 0;
  }

  /**
   * Returns the buffer to its pool in stream order: work submitted to its stream before this call
   * may still use it.
   */
  @Override
  public void close() {
    lease.close(held -> held.leaseEnded(getSize(), held.key().stream()));
  }

  @Override
  public String toString() {
    return "buffer of " + getCount() + " " + getType();
  }
}
