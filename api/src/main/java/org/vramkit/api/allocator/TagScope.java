package org.vramkit.api.allocator;

import java.util.concurrent.atomic.AtomicBoolean;
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
  private final @Nullable TagScope outer;
  private final AtomicBoolean closed = new AtomicBoolean();

  TagScope(String tag, Thread thread, @Nullable TagScope outer) {
    this.tag = tag;
    this.thread = thread;
    this.outer = outer;
  }

  /** What the memory is called. */
  public String getTag() {
    return tag;
  }

  boolean isClosed() {
    return closed.get();
  }

  /** This one, or of those around it the nearest that is open; null if none is. */
  @Nullable TagScope firstOpen() {
    TagScope scope = this;
    while (scope != null && scope.isClosed()) {
      scope = scope.outer;
    }
    return scope;
  }

  /** Ends it; what was allocated keeps its tag. */
  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      Tags.closed(thread);
    }
  }

  @Override
  public String toString() {
    return (isClosed() ? "closed scope" : "scope") + " of tag \"" + tag + "\"";
  }
}
