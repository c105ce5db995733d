package org.vramkit.pool.caching;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.Stream;

/**
 * While it is open, what its thread allocates through the allocator comes from a private pool. Of
 * several that a thread has open the one opened last counts. May be closed by any thread, in any
 * order.
 */
public final class PoolScope implements AutoCloseable {
  private final ThreadScopes routes;
  private final Thread thread;

  /** The one that counts when this one is closed. */
  final @Nullable PoolScope outer;

  /** Null once it is closed. */
  private final AtomicReference<@Nullable PrivatePool> pool;

  PoolScope(ThreadScopes routes, PrivatePool pool, Thread thread, @Nullable PoolScope outer) {
    this.routes = routes;
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

  /** An allocation of the pool; null if the scope is closed by now. */
  @Nullable Allocation tryAllocate(long bytes, long alignment, Stream stream, String tag) {
    PrivatePool target = pool.get();
    return target == null ? null : target.tryAllocate(bytes, alignment, stream, tag);
  }

  /** Ends it. Where this is the last use of a closed pool, the pool gives its memory back. */
  @Override
  public void close() {
    PrivatePool target = pool.getAndSet(null);
    if (target != null) {
      routes.closed(thread);
      target.release();
    }
  }
}
