package org.vramkit.pool.workspace;

import java.util.Objects;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.units.ByteSize;

/** Settings of a {@link WorkspacePool}. Not safe for threads. */
public final class WorkspacePoolBuilder {
  private final Allocator allocator;
  private int perClassCapacity = 4;
  private long byteBudget = ByteSize.GIB;

  WorkspacePoolBuilder(Allocator allocator) {
    this.allocator = Objects.requireNonNull(allocator, "allocator");
  }

  /**
   * How many free slabs of one class are kept; touch it when more calls than that run at once.
   *
   * @param slabs default 4; below 1 counts as 1
   */
  public WorkspacePoolBuilder perClassCapacity(int slabs) {
    perClassCapacity = Math.max(1, slabs);
    return this;
  }

  /**
   * How many bytes of free slabs are kept over all classes; beyond it the least recently used goes
   * back, and a slab that is larger by itself at once. The default keeps four slabs of 256 MiB and
   * never one of 2 GiB: raise it where workspaces are that large.
   *
   * @param bytes default 1 GiB; not negative
   */
  public WorkspacePoolBuilder byteBudget(long bytes) {
    if (bytes < 0) {
      throw new InvalidArgumentException("byte budget must not be negative: " + bytes);
    }
    byteBudget = bytes;
    return this;
  }

  /** The pool. */
  public WorkspacePool build() {
    return new WorkspacePool(allocator, perClassCapacity, byteBudget);
  }
}
