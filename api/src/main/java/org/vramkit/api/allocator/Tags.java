package org.vramkit.api.allocator;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Tags the allocations of the calling thread, so that statistics can attribute memory to a phase or
 * a component. Safe for any thread, including virtual threads.
 *
 * <p>Tags cost nothing until the first scope of the process is opened. From then on each allocation
 * looks up its thread, which takes about a nanosecond.
 */
public final class Tags {
  // A table instead of a thread-local: a lookup leaves nothing behind for a thread that never opens
  // a scope, any thread may close a scope, and virtual threads cost no more than others.
  private static final int BUCKETS = 1 << 12;

  /** Spreads consecutive thread ids over cache lines: 2^32 / golden ratio. */
  private static final int SPREAD = 0x9E3779B9;

  private static final AtomicReferenceArray<@Nullable Holder> HOLDERS =
      new AtomicReferenceArray<>(BUCKETS);

  /** True once any scope was opened. A count of open scopes would be written by all threads. */
  private static volatile boolean used;

  /** The innermost open scope of a thread; an entry in the list of a bucket. */
  private static final class Holder {
    final Thread thread;
    final TagScope scope;
    final @Nullable Holder next;

    Holder(Thread thread, TagScope scope, @Nullable Holder next) {
      this.thread = thread;
      this.scope = scope;
      this.next = next;
    }
  }

  private Tags() {}

  /**
   * Tags the allocations of the calling thread until the scope is closed. The scope opened last
   * wins. Tags of nested scopes are not joined; write the full name, such as {@code train/forward}.
   *
   * @param tag the tag; empty for untagged memory
   * @return the scope, for the caller to close; an open scope may keep its thread reachable
   */
  public static TagScope open(String tag) {
    Thread thread = Thread.currentThread();
    int bucket = bucketOf(thread);
    used = true;
    while (true) {
      Holder first = HOLDERS.get(bucket);
      Holder own = find(first, thread);
      TagScope outer = own == null ? null : own.scope.firstOpen();
      if (outer != null) {
        outer.forgetClosed();
      }
      TagScope scope = new TagScope(name(tag), thread, outer);
      if (HOLDERS.compareAndSet(
          bucket, first, new Holder(thread, scope, withoutFinished(without(first, thread))))) {
        return scope;
      }
    }
  }

  /** Returns the tag of the calling thread's innermost open scope; empty if there is none. */
  public static String current() {
    return used ? find() : "";
  }

  private static String find() {
    Thread thread = Thread.currentThread();
    Holder own = find(HOLDERS.getAcquire(bucketOf(thread)), thread);
    return own == null ? "" : own.scope.getTag();
  }

  private static @Nullable Holder find(@Nullable Holder first, Thread thread) {
    Holder holder = first;
    while (holder != null && holder.thread != thread) {
      holder = holder.next;
    }
    return holder;
  }

  /**
   * Replaces the thread's scope by the nearest open one, after a scope of the thread was closed.
   */
  static void closed(Thread thread) {
    int bucket = bucketOf(thread);
    while (true) {
      Holder first = HOLDERS.get(bucket);
      Holder own = find(first, thread);
      if (own == null || !own.scope.isClosed()) {
        return;
      }
      TagScope outer = own.scope.firstOpen();
      Holder others = without(first, thread);
      Holder changed = outer == null ? others : new Holder(thread, outer, others);
      if (HOLDERS.compareAndSet(bucket, first, changed)) {
        return;
      }
    }
  }

  private static @Nullable Holder without(@Nullable Holder first, Thread thread) {
    if (first == null) {
      return null;
    }
    return first.thread == thread
        ? first.next
        : new Holder(first.thread, first.scope, without(first.next, thread));
  }

  /** Returns the list without terminated threads that left a scope open. */
  private static @Nullable Holder withoutFinished(@Nullable Holder first) {
    if (first == null) {
      return null;
    }
    Holder rest = withoutFinished(first.next);
    if (!first.thread.isAlive()) {
      return rest;
    }
    return rest == first.next ? first : new Holder(first.thread, first.scope, rest);
  }

  /** Returns one canonical object for the empty tag. */
  private static String name(String tag) {
    return Objects.requireNonNull(tag, "tag").isEmpty() ? "" : tag;
  }

  private static int bucketOf(Thread thread) {
    return ((int) thread.getId() * SPREAD) >>> 20;
  }
}
