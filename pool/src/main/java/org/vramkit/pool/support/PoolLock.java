package org.vramkit.pool.support;

import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The lock of a pool's free memory; the driver is never called under it. */
public final class PoolLock extends ReentrantLock {
  private static final long serialVersionUID = 1L;

  /** Free. */
  public PoolLock() {}

  /** What is found under the lock. */
  public <T extends @Nullable Object> T get(Supplier<T> action) {
    lock();
    try {
      return action.get();
    } finally {
      unlock();
    }
  }

  /** Changes something under the lock. */
  public void perform(Runnable change) {
    lock();
    try {
      change.run();
    } finally {
      unlock();
    }
  }
}
