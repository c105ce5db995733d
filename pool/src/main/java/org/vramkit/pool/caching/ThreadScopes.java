package org.vramkit.pool.caching;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Which threads have a scope open that routes their allocations to a private pool. The allocator
 * hears when the first one opens and the last one closes, so that while there is none an allocation
 * reads one flag, and looks up no thread.
 *
 * <p>A map and no thread-local: any thread may close a scope, and nothing of it is left behind.
 * Read without a lock; the monitor guards changes, and that the flag follows them. It is a leaf.
 */
final class ThreadScopes {
  /** Of each thread the scope that it opened last, of those that are open. */
  private final Map<Thread, PoolScope> innermost = new ConcurrentHashMap<>();

  private final Consumer<Boolean> listener;

  /**
   * None yet.
   *
   * @param listener hears whether any scope is open, one call at a time
   */
  ThreadScopes(Consumer<Boolean> listener) {
    this.listener = listener;
  }

  /** Routes this thread's allocations to the pool until the scope is closed, by any thread. */
  synchronized PoolScope open(PrivatePool pool) {
    Thread thread = Thread.currentThread();
    PoolScope scope = new PoolScope(this, pool, thread, innermost.get(thread));
    // First, so that a failure leaves no scope that nobody can close. The next call tells again.
    listener.accept(true);
    innermost.put(thread, scope);
    return scope;
  }

  /**
   * Closes the scopes of threads that have finished: they route nothing any more, and keep a closed
   * pool from giving its memory back. Called without a lock, and not from inside of a call.
   */
  void closeFinished() {
    for (PoolScope latest : innermost.values()) {
      for (PoolScope scope = latest; scope != null && scope.isOfFinishedThread(); ) {
        scope.close();
        scope = scope.outer;
      }
    }
  }

  /** A scope of that thread was closed. */
  synchronized void closed(Thread thread) {
    innermost.computeIfPresent(thread, (owner, latest) -> firstOpen(latest));
    tell();
  }

  private static @Nullable PoolScope firstOpen(@Nullable PoolScope latest) {
    PoolScope scope = latest;
    while (scope != null && scope.isClosed()) {
      scope = scope.outer;
    }
    return scope;
  }

  /** Tells the listener once more. */
  synchronized void tell() {
    listener.accept(!innermost.isEmpty());
  }

  /** This thread's innermost scope that is open, or null. */
  @Nullable PoolScope find() {
    return firstOpen(innermost.get(Thread.currentThread()));
  }
}
