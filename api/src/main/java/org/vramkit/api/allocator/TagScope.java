package org.vramkit.api.allocator;

import org.jspecify.annotations.Nullable;

/**
 * Tags the allocations of the thread that opened the scope, until the scope is closed. Any thread
 * may close a scope, in any order and more than once.
 *
 * @see Tags#open
 */
public final class TagScope implements AutoCloseable {
  private final String tag;
  private final Thread thread;

  /** An enclosing scope; all scopes between it and this one are closed. */
  private volatile @Nullable TagScope outer;

  private volatile boolean closed;

  TagScope(String tag, Thread thread, @Nullable TagScope outer) {
    this.tag = tag;
    this.thread = thread;
    this.outer = outer;
  }

  /** Returns the tag. */
  public String getTag() {
    return tag;
  }

  boolean isClosed() {
    return closed;
  }

  /** Returns this scope or the nearest open enclosing one; null if all are closed. */
  @Nullable TagScope firstOpen() {
    TagScope scope = this;
    while (scope != null && scope.isClosed()) {
      scope = scope.outer;
    }
    return scope;
  }

  /**
   * Unlinks closed enclosing scopes. Without this, overlapping scopes would keep all earlier ones.
   */
  void forgetClosed() {
    TagScope scope = this;
    while (scope != null) {
      TagScope around = scope.outer;
      TagScope open = around == null ? null : around.firstOpen();
      if (open != around) {
        scope.outer = open;
      }
      scope = open;
    }
  }

  /** Ends the scope. Existing allocations keep their tag. */
  @Override
  public void close() {
    closed = true;
    // Needed also if another thread closed the scope first: it may not have reached this call yet.
    Tags.closed(thread);
  }

  @Override
  public String toString() {
    return (isClosed() ? "closed scope" : "scope") + " of tag \"" + tag + "\"";
  }
}
