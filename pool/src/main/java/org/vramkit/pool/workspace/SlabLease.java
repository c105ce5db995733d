package org.vramkit.pool.workspace;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.WorkspaceLease;
import org.vramkit.api.error.Batch;
import org.vramkit.api.error.ClosedException;

/** A slab in use; whoever swaps it out has closed the lease. */
final class SlabLease implements WorkspaceLease {
  private final WorkspacePool pool;
  private final long size;
  private final AtomicReference<@Nullable Slab> slab;

  private SlabLease(WorkspacePool pool, Slab slab) {
    this.pool = pool;
    this.size = slab.size();
    this.slab = new AtomicReference<>(slab);
  }

  /** A slab in its user's hands; where that cannot be told, it goes back. */
  static SlabLease of(WorkspacePool pool, Slab slab) {
    SlabLease lease = new SlabLease(pool, slab);
    try {
      slab.lease();
      return lease;
    } catch (RuntimeException | Error e) {
      Batch.after(e, () -> pool.giveBack(slab));
      throw e;
    }
  }

  @Override
  public long getAddress() {
    return open().memory.getAddress();
  }

  @Override
  public long getSize() {
    return open().size();
  }

  private Slab open() {
    Slab held = slab.get();
    if (held == null) {
      throw new ClosedException(
          "the lease of a workspace of " + size + " bytes",
          "its slab may be another's",
          "use it before its close, or acquire a new one");
    }
    return held;
  }

  @Override
  public void close() {
    Slab held = slab.getAndSet(null);
    if (held != null) {
      try {
        held.endLease();
      } finally {
        pool.giveBack(held);
      }
    }
  }

  @Override
  public String toString() {
    return (slab.get() == null ? "closed lease of " : "lease of ") + size + " bytes";
  }
}
