package org.vramkit.pool.caching;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The open scopes of threads, which direct their allocations to private pools. Notifies the
 * allocator when the first scope opens and the last one closes, so that without scopes an
 * allocation reads a flag and looks up no thread.
 *
 * <p>A map rather than a thread-local, because any thread may close a scope. Read without a lock;
 * the monitor guards changes and their notification, and is a leaf.
 */
final class ThreadScopes {
  private final Map<Thread, PoolScope> innermost = new ConcurrentHashMap<>();

  private final Consumer<Boolean> listener;

  /**
   * Creates an empty instance.
   *
   * @param listener called with whether any scope is open, one call at a time
   */
  ThreadScopes(Consumer<Boolean> listener) {
    this.listener = listener;
  }

  /** Opens a scope that directs this thread's allocations to a pool. Any thread may close it. */
  synchronized PoolScope open(PrivatePool pool) {
    Thread thread = Thread.currentThread();
    PoolScope scope = new PoolScope(this, pool, thread, innermost.get(thread));
    // First, so that a failure leaves no scope that cannot be closed. The next call notifies again.
    listener.accept(true);
    innermost.put(thread, scope);
    return scope;
  }

  /**
   * Closes the scopes of threads that have finished, which would keep closed pools from returning
   * their memory. Must not be called under a lock or from inside a call.
   */
  void closeFinished() {
    for (PoolScope latest : innermost.values()) {
      for (PoolScope scope = latest; scope != null && scope.isOfFinishedThread(); ) {
        scope.close();
        scope = scope.outer;
      }
    }
  }

  synchronized void closed(Thread thread) {
    innermost.computeIfPresent(thread, (owner, latest) -> firstOpen(latest));
    update();
  }

  private static @Nullable PoolScope firstOpen(@Nullable PoolScope latest) {
    PoolScope scope = latest;
    while (scope != null && scope.isClosed()) {
      scope = scope.outer;
    }
    return scope;
  }

  synchronized void update() {
    listener.accept(!innermost.isEmpty());
  }

  /** Returns this thread's innermost open scope; null if there is none. */
  @Nullable PoolScope find() {
    return firstOpen(innermost.get(Thread.currentThread()));
  }
}
