package org.vramkit.pool.decorator;

import static java.util.Objects.requireNonNull;

import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.Stream;

/** The handle of a decorator's user; the one beneath decides what is an error. */
final class DecoratedAllocation implements Allocation {
  private final AllocatorDecorator decorator;
  private final AtomicBoolean closing = new AtomicBoolean();

  /** The one beneath; null until it is made. */
  @Nullable Allocation held;

  long address;
  long size;

  /** Tells whether its user has it and has not closed it; set last of all, by no call. */
  volatile boolean delivered;

  DecoratedAllocation(AllocatorDecorator decorator) {
    this.decorator = decorator;
  }

  /** The one beneath was made. */
  void arrived() {
    address = held().getAddress();
    size = held().getSize();
  }

  Allocation held() {
    return requireNonNull(held, "held");
  }

  @Override
  public long getAddress() {
    return held().getAddress();
  }

  @Override
  public long getSize() {
    return held().getSize();
  }

  @Override
  public Stream getStream() {
    return held().getStream();
  }

  @Override
  public boolean isClosed() {
    return held().isClosed();
  }

  @Override
  public void recordUse(Stream stream) {
    held().recordUse(stream);
  }

  @Override
  public void close() {
    if (closing.compareAndSet(false, true)) {
      delivered = false;
      try {
        decorator.close(this);
      } catch (Error e) {
        decorator.gate.brokenBy = e;
        throw e;
      }
    }
  }

  @Override
  public String toString() {
    return held().toString();
  }
}
