package org.vramkit.pool.caching.internal.cache;

import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.vramkit.api.error.ClosedException;

/**
 * Counts the calls inside a pool that went beyond the thread caches, such as a call that carries a
 * block from a cache to the heap. A thread may hold off new calls and wait until those inside have
 * left, in order to search the pool alone or to shut it.
 *
 * <p>Hits are not counted. Freezing the caches ends them.
 *
 * <p>Threads are spread over several counters, each on its own cache line. While new calls are held
 * off, each counter must reach zero once; a call that still enters leaves at once.
 */
public final class ArenaGate {
  /** Number of counters, a power of two. Threads are spread over them by their ids. */
  private static final int PLACES =
      Integer.highestOneBit(2 * Math.min(16, Runtime.getRuntime().availableProcessors()) - 1);

  /** Longs from one counter to the next: two cache lines, because processors prefetch pairs. */
  private static final int STRIDE = 16;

  /** How often a waiting thread spins before it sleeps. */
  private static final int SPINS = 100;

  private static final long NAP_NANOS = 20_000;

  private enum State {
    OPEN,
    /** New calls wait for the thread that holds {@code alone}. */
    HELD,
    SHUT
  }

  private final String name;
  private final Runnable freeze;
  private final Runnable unfreeze;
  private final AtomicLongArray inside = new AtomicLongArray(PLACES * STRIDE);

  /** Held by the thread that holds calls off. Acquired before all locks of a call. */
  private final ReentrantLock alone = new ReentrantLock();

  private volatile State state = State.OPEN;

  /**
   * Creates the gate of an open pool.
   *
   * @param freeze empties the caches into the heap and prevents hits
   * @param unfreeze allows hits again
   */
  public ArenaGate(String name, Runnable freeze, Runnable unfreeze) {
    this.name = name;
    this.freeze = freeze;
    this.unfreeze = unfreeze;
  }

  /**
   * Begins a call. Waits while another thread holds calls off.
   *
   * @return true if the call may go on, and then must {@link #leave}; false if the pool is shut
   */
  public boolean enter() {
    CachingAllocation.requireStack();
    return enterNow();
  }

  private boolean enterNow() {
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

  /** Begins a call if that needs no wait; returns false if it does, or if the pool is shut. */
  public boolean tryEnter() {
    begin();
    if (state == State.OPEN) {
      return true;
    }
    leave();
    return false;
  }

  @SuppressWarnings("LockNotBeforeTry") // only waits for the lock
  private void awaitRelease() {
    alone.lock();
    alone.unlock();
  }

  /** Begins a call that cannot be held off, because it carries a block. */
  public void begin() {
    inside.incrementAndGet(place());
  }

  /** Ends a call. Called by the thread that began it. */
  public void leave() {
    inside.decrementAndGet(place());
  }

  private static int place() {
    return ((int) Thread.currentThread().getId() & (PLACES - 1)) * STRIDE;
  }

  /**
   * Performs an action inside the gate, so that the pool is neither held nor closed meanwhile.
   *
   * @throws ClosedException if the pool is closed
   */
  public <T> T inside(Supplier<T> action) {
    if (!enter()) {
      throw closedError();
    }
    try {
      return action.get();
    } finally {
      leave();
    }
  }

  /**
   * Leaves the call for an action that may take any time, carrying no block. The call then goes on,
   * even if the pool was shut meanwhile; the caller checks {@link #isShut}.
   */
  public <T> T outside(Supplier<T> action) {
    // For the return, which must not fail: the caller leaves the call in any case.
    CachingAllocation.requireStack();
    leave();
    try {
      return action.get();
    } finally {
      if (!enterNow()) {
        begin();
      }
    }
  }

  /**
   * Holds off all other calls, prevents hits and moves all free blocks to the heap, until {@link
   * #resume}. A pool that is shut meanwhile stays shut. Must not be called by a thread that is
   * inside the gate of a pool.
   */
  public void hold() {
    CachingAllocation.requireStack();
    alone.lock();
    boolean held = false;
    try {
      if (state == State.OPEN) {
        state = State.HELD;
      }
      awaitDeserted();
      freeze.run();
      // A close before the freeze may be carrying blocks that its cache had no room for.
      awaitDeserted();
      held = true;
    } finally {
      if (!held) {
        resume();
      }
    }
  }

  /** Allows calls and hits again. Called by the thread that holds them off. */
  public void resume() {
    try {
      if (state == State.HELD) {
        unfreeze.run();
      }
    } finally {
      if (state == State.HELD) {
        state = State.OPEN;
      }
      alone.unlock();
    }
  }

  /**
   * Refuses calls from now on; those inside may finish. Waits while another thread holds calls off.
   * Must not be called by a thread that is inside the gate of a pool.
   */
  public void shut() {
    CachingAllocation.requireStack();
    // Otherwise a thread that holds calls off could reopen the pool.
    alone.lock();
    try {
      state = State.SHUT;
    } finally {
      alone.unlock();
    }
    freeze.run();
  }

  /** Returns whether the pool is shut. */
  public boolean isShut() {
    return state == State.SHUT;
  }

  /** Returns whether the pool is shut and no call is inside. Blocks may still be freed. */
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

  /** Waits until all calls have left, while new ones are held off or the pool is shut. */
  public void awaitDeserted() {
    boolean interrupted = false;
    for (int i = 0; i < PLACES; i++) {
      for (int looks = 1; inside.get(i * STRIDE) != 0; looks++) {
        if (looks % SPINS == 0) {
          // An interrupted thread would not sleep, so the interrupt is restored afterwards.
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

  /**
   * Refuses an allocation whose pool was closed while it waited.
   *
   * @throws ClosedException if the pool is closed
   */
  public void requireOpen() {
    if (isShut()) {
      throw new ClosedException(
          name, "an allocation was waiting for memory", "close it after its last allocation");
    }
  }

  /** Creates the error of a call after the pool was shut. */
  public ClosedException closedError() {
    return new ClosedException(name, "it no longer allocates", "make a new one");
  }
}
