package org.vramkit.pool.support;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.error.ClosedException;

/**
 * Counts who is inside an allocator, and tells whether it is open and whole. Closed is closed: an
 * allocation either ends before, and keeps it open as long as it lives, or is refused. A close that
 * is refused changes nothing. Calls that end by themselves, such as the close of a handle, are
 * waited for.
 *
 * <p>State: 1 once closed, plus 2 for each call inside that ends by itself, plus 2^32 for each
 * allocation that is live or being made. Lock-free but for a close that waits; all accesses are
 * volatile.
 */
public final class Gate {
  private static final long CLOSED = 1;
  private static final long PASS = 2;
  private static final long HOLDER = 1L << 32;

  private final AtomicLong state = new AtomicLong();
  private final ReentrantLock lock = new ReentrantLock();

  /** Signalled when the last call has ended that a close waits for. */
  private final Condition left = lock.newCondition();

  private final String name;

  /**
   * The error of the JVM that came in the middle of a call and left unclear what the owner has;
   * null as long as there was none. A field and no method, because it is set where no stack is
   * left.
   */
  public volatile @Nullable Throwable brokenBy;

  /**
   * Creates an open gate with no call inside.
   *
   * @param name of its owner, for errors
   */
  public Gate(String name) {
    this.name = name;
  }

  /**
   * Begins an allocation; {@link #leave} or {@link #startReturn} ends what it made.
   *
   * @throws ClosedException once it is closed
   * @throws IllegalStateException once it is broken
   */
  public void enter() {
    if (brokenBy != null) {
      throw broken();
    }
    if (!tryEnter()) {
      throw closed();
    }
  }

  /**
   * Refuses a call.
   *
   * @throws ClosedException once it is closed
   * @throws IllegalStateException once it is broken
   */
  public void requireOpen() {
    if (isClosed()) {
      throw closed();
    }
    if (brokenBy != null) {
      throw broken();
    }
  }

  private ClosedException closed() {
    return new ClosedException(name, "it gives no memory any more", "make a new one");
  }

  /** Makes the error of every call once it is broken. */
  public IllegalStateException broken() {
    return new IllegalStateException(
        name
            + " is broken: an error of the JVM came in the middle of a call, so it is unclear what"
            + " is free; close what you hold of it, then close it, which gives back all the rest,"
            + " and make a new one",
        brokenBy);
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

  /** Tells whether it was closed. */
  public boolean isClosed() {
    return (state.get() & CLOSED) != 0;
  }

  /**
   * Closes it for good, and waits for the calls inside. Harmless when repeated.
   *
   * @param refusal makes the message from the number of allocations that are live or being made
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

  /** Closes it for good, without regard to who is inside. */
  public void shut() {
    state.updateAndGet(seen -> seen | CLOSED);
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
