package org.vramkit.cuda;

import java.util.concurrent.atomic.AtomicInteger;
import org.vramkit.api.error.ClosedException;

/**
 * Keeps a driver handle alive while calls use it. A driver does not check for destroyed handles,
 * and a close must not wait for a blocked call. So a close only refuses new uses, and the last of
 * the closer and the users destroys the handle.
 *
 * <p>State: twice the number of users, plus 1 once closed. Lock-free.
 */
final class Lifetime {
  private static final int CLOSED = 1;
  private static final int USER = 2;

  private final AtomicInteger state = new AtomicInteger();
  private final Runnable end;

  /**
   * Creates the lifetime of an open handle.
   *
   * @param end destroys the handle; runs once, on the thread that leaves or closes last
   */
  Lifetime(Runnable end) {
    this.end = end;
  }

  /**
   * Begins a use; {@link #leave} must follow.
   *
   * @param what the object, for the error message
   */
  void enter(Object what) {
    if (!tryEnter()) {
      throw new ClosedException(
          what, "calls can no longer use it", "use an open one, or create a new one");
    }
  }

  /** Begins a use unless closed; {@link #leave} must follow if it returns true. */
  boolean tryEnter() {
    int seen;
    do {
      seen = state.get();
      if ((seen & CLOSED) != 0) {
        return false;
      }
    } while (!state.compareAndSet(seen, seen + USER));
    return true;
  }

  /** Ends a use. */
  void leave() {
    if (state.addAndGet(-USER) == CLOSED) {
      end.run();
    }
  }

  boolean isClosed() {
    return (state.get() & CLOSED) != 0;
  }

  /** Refuses new uses. Repeated calls have no effect. */
  void close() {
    int seen;
    do {
      seen = state.get();
      if ((seen & CLOSED) != 0) {
        return;
      }
    } while (!state.compareAndSet(seen, seen + CLOSED));
    if (seen == 0) {
      end.run();
    }
  }
}
