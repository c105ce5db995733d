package org.vramkit.pool.support;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.error.ClosedException;

/**
 * Counts the calls and live allocations of an allocator, and records whether the allocator is open
 * and intact. An allocation either completes before the close, and then prevents the close while it
 * is live, or is refused. A refused close changes nothing. A close waits for calls that end by
 * themselves, such as the close of a handle.
 *
 * <p>The state is 1 once closed, plus 2 for each call inside that ends by itself, plus 2^32 for
 * each allocation that is live or being made. Lock-free, except for a close that waits; all
 * accesses are volatile.
 */
public final class Gate {
  private static final long CLOSED = 1;
  private static final long PASS = 2;
  private static final long HOLDER = 1L << 32;

  private final AtomicLong state = new AtomicLong();
  private final ReentrantLock lock = new ReentrantLock();

  /** Signalled when the last call that a close waits for has ended. */
  private final Condition left = lock.newCondition();

  private final String name;

  /**
   * The JVM error that interrupted a call and may have left the owner's state inconsistent; null if
   * there was none. A field, because no stack may be left to call a setter.
   */
  public volatile @Nullable Throwable brokenBy;

  public Gate(String name) {
    this.name = name;
  }

  /**
   * Begins an allocation. {@link #leave} or {@link #startReturn} ends it.
   *
   * @throws ClosedException if the gate is closed
   * @throws IllegalStateException if the gate is broken
   */
  public void enter() {
    requireUnbroken();
    if (!tryAdd(HOLDER)) {
      throw closed();
    }
  }

  /**
   * Refuses a call if the gate is closed or broken.
   *
   * @throws ClosedException if the gate is closed
   * @throws IllegalStateException if the gate is broken
   */
  public void requireOpen() {
    if (isClosed()) {
      throw closed();
    }
    requireUnbroken();
  }

  /**
   * Refuses a call if the gate is broken.
   *
   * @throws IllegalStateException if it is
   */
  void requireUnbroken() {
    if (brokenBy != null) {
      throw broken();
    }
  }

  private ClosedException closed() {
    return new ClosedException(name, "it no longer allocates", "make a new one");
  }

  /** Creates the error of calls at a broken gate. */
  public IllegalStateException broken() {
    return new IllegalStateException(
        name
            + " is broken: a JVM error interrupted a call, so its state is unclear; close"
            + " everything acquired from it, then close it, which returns all memory, and create"
            + " a new one",
        brokenBy);
  }

  /** Ends an allocation that failed. */
  public void leave() {
    state.addAndGet(-HOLDER);
  }

  /** Ends an allocation and begins the call that frees it; {@link #endPass} must follow. */
  public void startReturn() {
    state.addAndGet(PASS - HOLDER);
  }

  /**
   * Begins a call that ends by itself; {@link #endPass} must follow.
   *
   * @return false if the gate is closed, and the call must not begin
   */
  public boolean startPass() {
    return tryAdd(PASS);
  }

  /** Ends a call that {@link #startPass} or {@link #startReturn} began. */
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

  public boolean isClosed() {
    return (state.get() & CLOSED) != 0;
  }

  /**
   * Closes the gate and waits for the calls inside. Idempotent.
   *
   * @param refusal creates the message from the number of allocations that are live or being made
   * @throws IllegalStateException if there are such allocations
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

  /** Closes the gate, whatever is inside. */
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
