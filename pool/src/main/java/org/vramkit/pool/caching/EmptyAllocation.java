package org.vramkit.pool.caching;

import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.pool.support.Streams;

/** An allocation of no bytes, at address 0: no block, no books. */
final class EmptyAllocation implements Allocation {
  private final Stream stream;
  private volatile boolean closed;

  EmptyAllocation(Stream stream) {
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
    if (!other.getDevice().equals(stream.getDevice())) {
      throw new InvalidArgumentException(
          "cannot record a use by stream "
              + Streams.nameOf(other)
              + " of device "
              + other.getDevice().getOrdinal()
              + " for an empty allocation of device "
              + stream.getDevice().getOrdinal());
    }
  }

  @Override
  public void close() {
    closed = true;
  }

  private void open() {
    if (closed) {
      throw new ClosedException("empty allocation is closed");
    }
  }
}
