package org.vramkit.pressure;

import static java.util.Objects.requireNonNull;

import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.Batch;

/** The handle that a {@link ForwardingAllocator} returns; the upstream handle detects misuse. */
final class HeldAllocation implements Allocation {
  private static final AtomicIntegerFieldUpdater<HeldAllocation> CLOSING =
      AtomicIntegerFieldUpdater.newUpdater(HeldAllocation.class, "closing");

  private final ForwardingAllocator owner;

  /** 1 from the close on. */
  @SuppressWarnings("unused") // by CLOSING
  private volatile int closing;

  /** The upstream handle, set before the user receives this one. */
  private @Nullable Allocation held;

  private long size;

  /** True once the upstream handle is closed, or has refused it. */
  private boolean isGivenBack;

  /** True once the owner has counted the close. */
  private boolean isReleased;

  HeldAllocation(ForwardingAllocator owner) {
    this.owner = owner;
  }

  void accept(Allocation made, long requested) {
    held = made;
    size = requested;
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
    if (CLOSING.compareAndSet(this, 0, 1)) {
      try {
        Batch.run(this::giveBack, this::release);
      } catch (VirtualMachineError | LinkageError e) {
        if (!isReleased) {
          owner.lock.brokenBy = e;
        }
        if (!isGivenBack) {
          closing = 0; // The next close tries again.
        }
        throw e;
      }
    }
  }

  private void giveBack() {
    try {
      held().close();
      isGivenBack = true;
    } catch (RuntimeException | Error e) {
      isGivenBack = !(e instanceof VirtualMachineError || e instanceof LinkageError);
      throw e;
    }
  }

  private void release() {
    if (!isGivenBack) {
      return;
    }
    owner.closed(this);
    if (size > 0) {
      owner.release(size);
    }
    isReleased = true;
  }

  @Override
  public String toString() {
    return held().toString();
  }
}
