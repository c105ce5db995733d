package org.vramkit.api.allocator;

import org.jspecify.annotations.Nullable;

/**
 * While it is open, what its thread allocates carries its tag. May be closed by any thread, in any
 * order, and more than once.
 *
 * @see Tags#open
 */
public final class TagScope implements AutoCloseable {
  private final String tag;
  private final Thread thread;

  /** Of those around it one, with nothing but closed ones left out between. */
  private volatile @Nullable TagScope outer;

  private volatile boolean closed;

  TagScope(String tag, Thread thread, @Nullable TagScope outer) {
    this.tag = tag;
    this.thread = thread;
    this.outer = outer;
  }

  /** Returns the tag of the memory. */
  public String getTag() {
    return tag;
  }

  boolean isClosed() {
    return closed;
  }

  /** This one, or of those around it the nearest that is open; null if none is. */
  @Nullable TagScope firstOpen() {
    TagScope scope = this;
    while (scope != null && scope.isClosed()) {
      scope = scope.outer;
    }
    return scope;
  }

  /** Lets go of closed scopes around it: where scopes overlap, each would keep all before it. */
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

  /** Ends it; what was allocated keeps its tag. */
  @Override
  public void close() {
    closed = true;
    // Also where another thread came first: it may not have got further than that.
    Tags.closed(thread);
  }

  @Override
  public String toString() {
    return (isClosed() ? "closed scope" : "scope") + " of tag \"" + tag + "\"";
  }
}
