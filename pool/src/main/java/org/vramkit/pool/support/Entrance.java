package org.vramkit.pool.support;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongFunction;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.error.ClosedException;

/**
 * Who is inside an allocator, and whether it is open. Closed is closed: an allocation either ends
 * before, and keeps it open as long as it lives, or is refused. A close that is refused changes
 * nothing. Calls that end by themselves, such as the close of a handle, are waited for.
 *
 * <p>State: 1 once closed, plus 2 for each call inside that ends by itself, plus 2^32 for each
 * allocation that is live or being made. Lock-free but for a close that waits; all accesses are
 * volatile.
 */
public final class Entrance {
  private static final long CLOSED = 1;
  private static final long PASS = 2;
  private static final long HOLDER = 1L << 32;

  private final AtomicLong state = new AtomicLong();
  private final ReentrantLock lock = new ReentrantLock();

  /** Signalled when the last call has ended that a close waits for. */
  private final Condition left = lock.newCondition();

  /** Open, with nobody inside. */
  public Entrance() {}

  /**
   * An allocation begins; {@link #leave} or {@link #startReturn} ends what it made.
   *
   * @param what named in the error
   * @throws ClosedException once it is closed
   */
  public void enter(Allocator what) {
    if (!tryEnter()) {
      throw new ClosedException(
          what.getClass().getSimpleName() + " of device " + what.getDevice().getOrdinal(),
          "it allocates no memory any more",
          "make a new one");
    }
  }

  /** The same; false once it is closed. */
  boolean tryEnter() {
    return tryAdd(HOLDER);
  }

  /** An allocation came to nothing. */
  public void leave() {
    state.addAndGet(-HOLDER);
  }

  /** An allocation is about to be given back; {@link #endPass} must follow. */
  public void startReturn() {
    state.addAndGet(PASS - HOLDER);
  }

  /**
   * A call begins that ends by itself; {@link #endPass} must follow.
   *
   * @return false once it is closed; then there is nothing to do any more
   */
  public boolean startPass() {
    return tryAdd(PASS);
  }

  /** Such a call ends. */
  public void endPass() {
    if (state.addAndGet(-PASS) == CLOSED) {
      lock.lock();
      try {
        left.signalAll();
      } finally {
        lock.unlock();
      }
    }
  }

  private boolean tryAdd(long amount) {
    long seen;
    do {
      seen = state.get();
      if ((seen & CLOSED) != 0) {
        return false;
      }
    } while (!state.compareAndSet(seen, seen + amount));
    return true;
  }

  /** Whether it was closed. */
  public boolean isClosed() {
    return (state.get() & CLOSED) != 0;
  }

  /**
   * Closes it for good, and waits for the calls inside. Harmless when repeated.
   *
   * @param refusal what is said of so many allocations that are live or being made
   * @throws IllegalStateException if there are any
   */
  public void close(LongFunction<String> refusal) {
    long seen;
    do {
      seen = state.get();
      if (seen >= HOLDER) {
        throw new IllegalStateException(refusal.apply(seen / HOLDER));
      }
    } while (!state.compareAndSet(seen, seen | CLOSED));
    awaitCalls();
  }

  private void awaitCalls() {
    lock.lock();
    try {
      while (state.get() != CLOSED) {
        left.awaitUninterruptibly();
      }
    } finally {
      lock.unlock();
    }
  }
}
