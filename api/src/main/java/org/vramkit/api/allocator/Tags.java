package org.vramkit.api.allocator;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Names for what threads are doing, so that memory can be put down to it: while a scope is open,
 * what its thread allocates carries the scope's tag. Safe for any thread, virtual ones included.
 *
 * <p>Costs nothing until the first scope of the process is opened; from then on an allocation looks
 * its thread up, which takes a nanosecond.
 */
public final class Tags {
  // A table and no thread-local: a thread that never opens a scope leaves nothing behind when it
  // asks, any thread may close a scope, and a virtual thread costs what another one does.
  private static final int PLACES = 1 << 12;

  /** Spreads consecutive thread numbers, so that neighbours share no line: 2^32 / golden ratio. */
  private static final int SPREAD = 0x9E3779B9;

  private static final AtomicReferenceArray<@Nullable Holder> HOLDERS =
      new AtomicReferenceArray<>(PLACES);

  /** Set once a scope was opened; all threads would write a count of open ones. */
  private static volatile boolean used;

  /** The innermost open scope of a thread, and the next thread of the same place. */
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
   * Gives a name to what this thread allocates until the scope is closed. Of several open scopes
   * the one opened last counts; nothing is joined, so nest names as you like them, such as {@code
   * train/forward}.
   *
   * @param tag for people; empty for memory without a tag
   * @return the scope; the caller closes it, and one that stays open may keep its thread in memory
   */
  public static TagScope open(String tag) {
    Thread thread = Thread.currentThread();
    int place = placeOf(thread);
    used = true;
    while (true) {
      Holder first = HOLDERS.get(place);
      Holder own = find(first, thread);
      TagScope outer = own == null ? null : own.scope.firstOpen();
      if (outer != null) {
        outer.forgetClosed();
      }
      TagScope scope = new TagScope(name(tag), thread, outer);
      if (HOLDERS.compareAndSet(
          place, first, new Holder(thread, scope, withoutFinished(without(first, thread))))) {
        return scope;
      }
    }
  }

  /** The tag of this thread's innermost open scope; empty if there is none. */
  public static String current() {
    return used ? find() : "";
  }

  private static String find() {
    Thread thread = Thread.currentThread();
    Holder own = find(HOLDERS.getAcquire(placeOf(thread)), thread);
    return own == null ? "" : own.scope.getTag();
  }

  private static @Nullable Holder find(@Nullable Holder first, Thread thread) {
    Holder holder = first;
    while (holder != null && holder.thread != thread) {
      holder = holder.next;
    }
    return holder;
  }

  /** A scope of that thread was closed. */
  static void closed(Thread thread) {
    int place = placeOf(thread);
    while (true) {
      Holder first = HOLDERS.get(place);
      Holder own = find(first, thread);
      if (own == null || !own.scope.isClosed()) {
        return;
      }
      TagScope outer = own.scope.firstOpen();
      Holder others = without(first, thread);
      Holder changed = outer == null ? others : new Holder(thread, outer, others);
      if (HOLDERS.compareAndSet(place, first, changed)) {
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

  /** Without the threads that have finished with a scope open. */
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

  /** One object for all that have no tag. */
  private static String name(String tag) {
    return Objects.requireNonNull(tag, "tag").isEmpty() ? "" : tag;
  }

  private static int placeOf(Thread thread) {
    return ((int) thread.getId() * SPREAD) >>> 20;
  }
}
