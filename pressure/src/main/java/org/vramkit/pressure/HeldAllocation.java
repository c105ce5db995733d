package org.vramkit.pressure;

import static java.util.Objects.requireNonNull;

import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.Stream;

/** Handle of a user of a {@link ForwardingAllocator}; the one beneath decides what is an error. */
final class HeldAllocation implements Allocation {
  private final ForwardingAllocator owner;
  private final AtomicBoolean closing = new AtomicBoolean();

  /** The handle beneath, set before any user has this one. */
  private @Nullable Allocation held;

  private long size;

  HeldAllocation(ForwardingAllocator owner) {
    this.owner = owner;
  }

  void accept(Allocation made) {
    held = made;
    size = made.getSize();
  }

  private Allocation held() {
    return requireNonNull(held, "held");
  }

  @Override
  public long getAddress() {
    return held().getAddress();
  }

  @Override
  public long getSize() {
    return size;
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
    if (!closing.compareAndSet(false, true)) {
      return;
    }
    try {
      owner.closing(this);
      held().close();
    } finally {
      if (size > 0) {
        owner.release(size);
      }
    }
  }

  @Override
  public String toString() {
    return held().toString();
  }
}
