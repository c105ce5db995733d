package org.vramkit.pool.support;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A lock of a pool. A stack overflow may leave it held forever. A waiting thread therefore looks
 * from time to time whether the pool is {@linkplain PoolHealth broken}, and no call enters a broken
 * pool.
 */
public class PoolLock extends ReentrantLock {
  private static final long serialVersionUID = 1L;

  private static final long LOOK_MILLIS = 50;

  /** How often a close or a reader of a broken pool looks for a holder, which may be gone. */
  private static final int LOOKS_IF_BROKEN = 5;

  private final transient PoolHealth health;

  public PoolLock(PoolHealth health) {
    this.health = health;
  }

  /**
   * Takes the lock.
   *
   * @throws IllegalStateException if the pool is broken
   */
  @Override
  public final void lock() {
    if (!lockIfIntact()) {
      throw health.broken();
    }
  }

  /** Takes the lock; returns false, without the lock, if the pool is broken. */
  public final boolean lockIfIntact() {
    if (!tryLock() && !await(0)) {
      return false;
    }
    if (health.brokenBy != null) {
      unlock();
      return false;
    }
    return true;
  }

  /** Waits; once the pool is broken, at most for {@code looks}. */
  private boolean await(int looks) {
    boolean interrupted = false;
    int left = looks;
    try {
      while (health.brokenBy == null || left-- > 0) {
        try {
          if (tryLock(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
            return true;
          }
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
      return false;
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /**
   * Performs a change under the lock.
   *
   * @throws IllegalStateException if the pool is broken
   */
  public final <T extends @Nullable Object> T change(Supplier<T> change) {
    try {
      lock();
      try {
        return change.get();
      } finally {
        unlock();
      }
    } catch (StackOverflowError e) {
      health.slowPath = true;
      health.brokenBy = e;
      throw e;
    }
  }

  /** Reads under the lock. If the pool is broken, reads even if the lock is held forever. */
  public final <T extends @Nullable Object> T read(Supplier<T> look) {
    try {
      boolean locked = tryLock() || await(LOOKS_IF_BROKEN);
      try {
        return look.get();
      } finally {
        if (locked) {
          unlock();
        }
      }
    } catch (StackOverflowError e) {
      health.slowPath = true;
      health.brokenBy = e;
      throw e;
    }
  }

  public final void run(Runnable change) {
    var unused =
        change(
            () -> {
              change.run();
              return change;
            });
  }

  /** Performs the close of a pool, even if the pool is broken and the lock is held forever. */
  public final void toClose(Runnable close) {
    var unused =
        read(
            () -> {
              close.run();
              return close;
            });
  }
}
