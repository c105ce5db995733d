package org.vramkit.pool.caching.internal.stream;

import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.vramkit.pool.caching.internal.cache.StreamCaches;

/**
 * The calls that are under way in one pool behind its first tier: whoever carries a block from one
 * tier to another is inside. Somebody may hold off new calls and wait until those under way have
 * left, to see the pool as it is at one moment; or shut the pool for good.
 *
 * <p>Hits are not counted. They end where the first tier is {@link StreamCaches#freeze frozen}.
 *
 * <p>Each thread counts itself at one of several places, which lie on cache lines of their own. A
 * place that is seen at zero while new calls are held off stays deserted: whoever comes later
 * leaves again at once.
 */
public final class InFlightCalls {
  /** Places for counts; a power of two. Threads are dealt over them by their numbers. */
  private static final int PLACES =
      Integer.highestOneBit(2 * Math.min(16, Runtime.getRuntime().availableProcessors()) - 1);

  /** Longs from one place to the next: a pair of cache lines, which processors fetch together. */
  private static final int STRIDE = 16;

  /** How often somebody who waits looks before it sleeps. */
  private static final int SPINS = 100;

  private static final long NAP_NANOS = 20_000;

  private enum State {
    OPEN,
    /** New calls wait for whoever holds {@code alone}. */
    HELD,
    SHUT
  }

  private final AtomicLongArray inside = new AtomicLongArray(PLACES * STRIDE);

  /** Held by the one who holds calls off. Before all locks that a call takes. */
  private final ReentrantLock alone = new ReentrantLock();

  private volatile State state = State.OPEN;

  /**
   * Begins a call; waits while calls are held off by another thread.
   *
   * @return whether it may go on, and then has to {@link #leave}; false once the pool is shut
   */
  public boolean enter() {
    while (true) {
      begin();
      State seen = state;
      if (seen == State.OPEN || (seen == State.HELD && alone.isHeldByCurrentThread())) {
        return true;
      }
      leave();
      if (seen == State.SHUT) {
        return false;
      }
      awaitRelease();
    }
  }

  @SuppressWarnings("LockNotBeforeTry") // there is nothing to do once it is there
  private void awaitRelease() {
    alone.lock();
    alone.unlock();
  }

  /** Counts a call that cannot be held off, because it has a block to bring home. */
  public void begin() {
    inside.incrementAndGet(place());
  }

  /** Ends a call, by the thread that began it. */
  public void leave() {
    inside.decrementAndGet(place());
  }

  private static int place() {
    return ((int) Thread.currentThread().getId() & (PLACES - 1)) * STRIDE;
  }

  /**
   * Steps out of a call to do what may take any time, with no block in hand. The call goes on
   * afterwards, also in a pool that was shut meanwhile: the caller asks {@link #isShut}.
   */
  public <T> T outside(Supplier<T> action) {
    leave();
    try {
      return action.get();
    } finally {
      if (!enter()) {
        begin();
      }
    }
  }

  /**
   * Has no call be inside until it is {@link #letGo}. What is shut meanwhile stays shut; else calls
   * go on afterwards. Not from inside of a call.
   */
  public void hold() {
    alone.lock();
    boolean held = false;
    try {
      if (state == State.OPEN) {
        state = State.HELD;
      }
      awaitDeserted();
      held = true;
    } finally {
      if (!held) {
        letGo();
      }
    }
  }

  /** Calls go on, by the thread that holds them off. */
  public void letGo() {
    if (state == State.HELD) {
      state = State.OPEN;
    }
    alone.unlock();
  }

  /** Nobody enters from now on. */
  public void shut() {
    state = State.SHUT;
  }

  public boolean isShut() {
    return state == State.SHUT;
  }

  /**
   * Whether it is shut and nobody is inside; that stays so but for blocks that are brought home.
   */
  public boolean isDeserted() {
    if (!isShut()) {
      return false;
    }
    for (int i = 0; i < PLACES; i++) {
      if (inside.get(i * STRIDE) != 0) {
        return false;
      }
    }
    return true;
  }

  /** Waits until all who are inside have left. New calls are held off, or the pool is shut. */
  public void awaitDeserted() {
    boolean interrupted = false;
    for (int i = 0; i < PLACES; i++) {
      for (int looks = 1; inside.get(i * STRIDE) != 0; looks++) {
        if (looks % SPINS == 0) {
          // An interrupted thread would not sleep: the interrupt waits until all have left.
          interrupted |= Thread.interrupted();
          LockSupport.parkNanos(NAP_NANOS);
        } else {
          Thread.onSpinWait();
        }
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
