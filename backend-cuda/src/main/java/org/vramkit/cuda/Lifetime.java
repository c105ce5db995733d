package org.vramkit.cuda;

import java.util.concurrent.atomic.AtomicInteger;
import org.vramkit.api.error.ClosedException;

/**
 * Keeps a handle of the driver alive while calls use it. The driver does not survive a handle that
 * is used after its end, and a close must not wait for a call that blocks: so a close only forbids
 * new uses, and the last to leave, the closer or a user, ends the handle.
 *
 * <p>State: twice the number of users, plus 1 once closed. Lock-free; all accesses are volatile.
 */
final class Lifetime {
  private static final int CLOSED = 1;
  private static final int USER = 2;

  private final AtomicInteger state = new AtomicInteger();
  private final Runnable end;

  /**
   * A handle that lives.
   *
   * @param end gives it back; runs once, on the thread that leaves or closes last
   */
  Lifetime(Runnable end) {
    this.end = end;
  }

  /**
   * Begins a use; {@link #leave} must follow.
   *
   * @param what named in the error
   */
  void enter(Object what) {
    if (!tryEnter()) {
      throw new ClosedException(
          what, "no call can use it any more", "use an open one, or make a new one");
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

  /** Forbids new uses. Harmless when repeated. */
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
