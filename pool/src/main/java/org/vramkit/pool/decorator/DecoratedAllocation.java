package org.vramkit.pool.decorator;

import static java.util.Objects.requireNonNull;

import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.Stream;

/** A handle of a decorator. Its delegate, the upstream handle, decides which calls are errors. */
final class DecoratedAllocation implements Allocation {
  private final AllocatorDecorator decorator;
  private final AtomicBoolean closing = new AtomicBoolean();

  /** The upstream handle; null until it is allocated. */
  @Nullable Allocation held;

  /** The requested bytes; 0 until the memory is allocated. */
  long size;

  /**
   * True if the caller has the handle and has not closed it. Set as the last step of the
   * allocation, without a call, so that no JVM error can occur after it.
   */
  volatile boolean delivered;

  DecoratedAllocation(AllocatorDecorator decorator) {
    this.decorator = decorator;
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
