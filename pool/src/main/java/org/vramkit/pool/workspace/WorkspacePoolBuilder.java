package org.vramkit.pool.workspace;

import java.util.Objects;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.support.Sizes;

/** Builds a {@link WorkspacePool}. Not thread-safe. */
public final class WorkspacePoolBuilder {
  private final Allocator allocator;
  private int perClassCapacity = 4;
  private long byteBudget = ByteSize.GIB;

  WorkspacePoolBuilder(Allocator allocator) {
    this.allocator = Objects.requireNonNull(allocator, "allocator");
  }

  /**
   * Limits the free slabs of a size class. Raise the limit if more calls run concurrently.
   *
   * @param slabs default 4; values below 1 count as 1
   */
  public WorkspacePoolBuilder perClassCapacity(int slabs) {
    perClassCapacity = Math.max(1, slabs);
    return this;
  }

  /**
   * Limits the bytes of free slabs over all classes. Above the budget, the least recently used
   * slabs return to the allocator. A slab larger than the budget returns at once when its lease is
   * closed. The default keeps four slabs of 256 MiB but no slab of 2 GiB, so raise it for such
   * workspaces.
   *
   * @param bytes not negative; default 1 GiB
   */
  public WorkspacePoolBuilder byteBudget(long bytes) {
    byteBudget = Sizes.requireNotNegative("byte budget", bytes);
    return this;
  }

  /** Builds the pool. */
  public WorkspacePool build() {
    return new WorkspacePool(allocator, perClassCapacity, byteBudget);
  }
}
