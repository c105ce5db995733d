package org.vramkit.pool.caching.internal.cache;

import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;
import org.vramkit.pool.support.Streams;

/** An allocation of 0 bytes, at address 0. It has no block and is not counted. */
public final class EmptyAllocation implements Allocation {
  private final Stream stream;
  private volatile boolean closed;

  public EmptyAllocation(Stream stream) {
    this.stream = stream;
  }

  @Override
  public long getAddress() {
    open();
    return 0;
  }

  @Override
  public long getSize() {
    return 0;
  }

  @Override
  public Stream getStream() {
    open();
    return stream;
  }

  @Override
  public boolean isClosed() {
    return closed;
  }

  @Override
  public void recordUse(Stream other) {
    open();
    Streams.refuseForeignUse(other, stream.getDevice(), "the empty allocation");
  }

  @Override
  public void close() {
    closed = true;
  }

  private void open() {
    if (closed) {
      throw new ClosedException(
          "empty allocation", "it has no address and no stream", "use it before closing it");
    }
  }

  @Override
  public String toString() {
    return closed ? "closed empty allocation" : "empty allocation";
  }
}
