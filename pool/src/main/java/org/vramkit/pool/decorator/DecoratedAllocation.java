package org.vramkit.pool.decorator;

import static java.util.Objects.requireNonNull;

import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.Stream;
import org.vramkit.pool.support.OpenAllocation;

/** A handle of a decorator. Its delegate, the upstream handle, decides which calls are errors. */
final class DecoratedAllocation extends OpenAllocation {
  private final AllocatorDecorator decorator;

  /** The upstream handle; null until it is allocated. */
  private @Nullable Allocation held;

  /** The requested bytes; 0 until the memory is allocated. */
  private long size;

  DecoratedAllocation(AllocatorDecorator decorator) {
    super(decorator);
    this.decorator = decorator;
  }

  void fill(Allocation taken, long requested) {
    held = taken;
    size = requested;
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
  protected void free() {
    decorator.free(this);
  }

  @Override
  protected void freeBroken() {
    held().close();
  }

  @Override
  public String toString() {
    return held().toString();
  }
}
