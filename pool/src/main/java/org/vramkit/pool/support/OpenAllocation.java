package org.vramkit.pool.support;

import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.vramkit.api.allocator.Allocation;

/** A handle of an {@link AllocatorBase}. The first thread that closes it frees its memory. */
public abstract class OpenAllocation implements Allocation {
  private static final AtomicIntegerFieldUpdater<OpenAllocation> CLOSED =
      AtomicIntegerFieldUpdater.newUpdater(OpenAllocation.class, "closed");

  private final AllocatorBase owner;

  /** The place in the order of allocation, from 1. */
  public final long number;

  /** 1 from the close on. */
  private volatile int closed;

  protected OpenAllocation(AllocatorBase owner) {
    this.owner = owner;
    this.number = owner.nextNumber();
  }

  /** Frees the memory. Called once, and not if the allocator is broken. */
  protected abstract void free();

  /** Called by the close of the handle if the allocator is broken, whose close frees the memory. */
  protected void freeBroken() {}

  @Override
  public boolean isClosed() {
    return closed != 0;
  }

  @Override
  public final void close() {
    if (CLOSED.compareAndSet(this, 0, 1)) {
      owner.end(this);
    }
  }
}
