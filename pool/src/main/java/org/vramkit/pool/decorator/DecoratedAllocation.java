package org.vramkit.pool.decorator;

import java.util.concurrent.atomic.AtomicBoolean;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.Stream;

/** The handle of a decorator's user; the one beneath decides what is an error. */
final class DecoratedAllocation implements Allocation {
  final Allocation held;
  final long address;
  final long size;
  private final AllocatorDecorator decorator;
  private final AtomicBoolean closing = new AtomicBoolean();

  DecoratedAllocation(AllocatorDecorator decorator, Allocation held) {
    this.decorator = decorator;
    this.held = held;
    this.address = held.getAddress();
    this.size = held.getSize();
  }

  @Override
  public long getAddress() {
    return held.getAddress();
  }

  @Override
  public long getSize() {
    return held.getSize();
  }

  @Override
  public Stream getStream() {
    return held.getStream();
  }

  @Override
  public boolean isClosed() {
    return held.isClosed();
  }

  @Override
  public void recordUse(Stream stream) {
    held.recordUse(stream);
  }

  @Override
  public void close() {
    if (closing.compareAndSet(false, true)) {
      decorator.close(this);
    }
  }

  @Override
  public String toString() {
    return held.toString();
  }
}
