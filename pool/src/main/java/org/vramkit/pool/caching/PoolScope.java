package org.vramkit.pool.caching;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.Stream;

/**
 * A scope in which a thread allocates from a private pool: while it is open, all that its thread
 * allocates through the allocator comes from the pool. Of nested scopes the innermost counts.
 * Scopes may be closed by any thread, in any order.
 */
public final class PoolScope implements AutoCloseable {
  private final ThreadScopes scopes;
  private final Thread thread;

  /** The enclosing scope. */
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

  /** Closes the scope. A closed pool returns its memory with its last scope. */
  @Override
  public void close() {
    PrivatePool target = pool.getAndSet(null);
    if (target != null) {
      scopes.closed(thread);
      target.release();
    }
  }
}
