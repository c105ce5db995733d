package org.vramkit.pool.support;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongFunction;
import org.vramkit.api.error.ClosedException;

/**
 * Who is inside an allocator, and whether it is open. Closed is closed: an allocation either ends
 * before, and keeps it open as long as it lives, or is refused. A close that is refused changes
 * nothing. Calls that end by themselves, such as the close of a handle, are waited for. Its lock is
 * a leaf.
 */
public final class Entrance {
  private final ReentrantLock lock = new ReentrantLock();

  /** Signalled when the last call that ends by itself has ended. */
  private final Condition left = lock.newCondition();

  /** Allocations that are live or being made. */
  private long holders;

  /** Calls inside that end by themselves. */
  private long passing;

  private boolean closed;

  /** Open, with nobody inside. */
  public Entrance() {}

  /**
   * An allocation begins; {@link #leave} or {@link #startReturn} ends what it made.
   *
   * @param what named in the error
   * @throws ClosedException once it is closed
   */
  public void enter(Object what) {
    lock.lock();
    try {
      if (closed) {
        throw new ClosedException(what + " is closed: make a new one");
      }
      holders++;
    } finally {
      lock.unlock();
    }
  }

  /** An allocation came to nothing. */
  public void leave() {
    lock.lock();
    try {
      holders--;
    } finally {
      lock.unlock();
    }
  }

  /** An allocation is about to be given back; {@link #endPass} must follow. */
  public void startReturn() {
    lock.lock();
    try {
      holders--;
      passing++;
    } finally {
      lock.unlock();
    }
  }

  /**
   * A call begins that ends by itself; {@link #endPass} must follow.
   *
   * @return false once it is closed; then there is nothing to do any more
   */
  public boolean startPass() {
    lock.lock();
    try {
      if (!closed) {
        passing++;
      }
      return !closed;
    } finally {
      lock.unlock();
    }
  }

  /** Such a call ends. */
  public void endPass() {
    lock.lock();
    try {
      if (--passing == 0) {
        left.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Whether it was closed. */
  public boolean isClosed() {
    lock.lock();
    try {
      return closed;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Closes it for good, and waits for the calls inside. Harmless when repeated.
   *
   * @param refusal what is said of so many allocations that are live or being made
   * @throws IllegalStateException if there are any
   */
  public void close(LongFunction<String> refusal) {
    lock.lock();
    try {
      if (holders > 0) {
        throw new IllegalStateException(refusal.apply(holders));
      }
      closed = true;
      while (passing > 0) {
        left.awaitUninterruptibly();
      }
    } finally {
      lock.unlock();
    }
  }
}
