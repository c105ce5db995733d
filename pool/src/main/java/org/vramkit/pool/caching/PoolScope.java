package org.vramkit.pool.caching;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.Stream;

/**
 * A scope in which a thread allocates from a private pool. While the scope is open, all allocations
 * that its thread makes through the allocator come from the pool. The innermost of nested scopes
 * decides. Any thread may close a scope, in any order.
 */
public final class PoolScope implements AutoCloseable {
  private final ThreadScopes scopes;
  private final Thread thread;

  final @Nullable PoolScope outer;

  /** The pool; null once the scope is closed. */
  private final AtomicReference<@Nullable PrivatePool> pool;

  PoolScope(ThreadScopes scopes, PrivatePool pool, Thread thread, @Nullable PoolScope outer) {
    this.scopes = scopes;
    this.thread = thread;
    this.pool = new AtomicReference<>(pool);
    this.outer = outer;
  }

  boolean isOfFinishedThread() {
    return !thread.isAlive();
  }

  boolean isClosed() {
    return pool.get() == null;
  }

  /** Allocates from the pool; null if the scope is closed. */
  @Nullable Allocation tryAllocate(long bytes, long alignment, Stream stream, String tag) {
    PrivatePool target = pool.get();
    return target == null ? null : target.tryAllocate(bytes, alignment, stream, tag);
  }

  /** Closes the scope. If the pool is closed, closing its last scope returns its memory. */
  @Override
  public void close() {
    PrivatePool target = pool.getAndSet(null);
    if (target != null) {
      scopes.closed(thread);
      target.release();
    }
  }
}
