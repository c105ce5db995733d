package org.vramkit.pool.support;

import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.error.ClosedException;

/**
 * Counts the calls inside a pool, and records whether the pool is open. A thread may hold off new
 * calls and wait until those inside have left, in order to search the pool alone or to shut it.
 *
 * <p>Threads are spread over several counters, each on its own cache line. While new calls are held
 * off, each counter must reach zero once; a call that still enters leaves at once.
 */
public final class Gate {
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
  private final PoolHealth health;
  private final int places;
  private final AtomicLongArray inside;

  /** Held by the thread that holds calls off. Acquired before all locks of a call. */
  private final PoolLock alone;

  private volatile State state = State.OPEN;

  /**
   * Creates the gate of an open pool.
   *
   * @param name the name of the pool in messages
   */
  public Gate(String name, PoolHealth health) {
    this(name, health, PLACES);
  }

  /** Creates a gate with a number of counters that is a power of two. */
  Gate(String name, PoolHealth health, int places) {
    this.name = name;
    this.health = health;
    this.places = places;
    this.inside = new AtomicLongArray(places * STRIDE);
    this.alone = new PoolLock(health);
  }

  // ---- calls ----

  /**
   * Begins a call. Waits while another thread holds calls off.
   *
   * @return true if the call may go on, and then must {@link #leave}; false if the pool is shut
   * @throws IllegalStateException if the pool is broken
   */
  public boolean enter() {
    if (health.brokenBy != null) {
      throw health.broken();
    }
    while (true) {
      begin();
      if (mayGoOn()) {
        return true;
      }
      leave();
      if (isShut()) {
        return false;
      }
      awaitRelease();
    }
  }

  /** Begins a call if that needs no wait; returns false if it does, or if the pool is shut. */
  public boolean tryEnter() {
    begin();
    if (state == State.OPEN && health.brokenBy == null) {
      return true;
    }
    leave();
    return false;
  }

  /** Returns whether a call that is counted already may go on. */
  boolean mayGoOn() {
    State seen = state;
    return seen == State.OPEN || (seen == State.HELD && alone.isHeldByCurrentThread());
  }

  /**
   * Waits until no other thread holds calls off.
   *
   * @throws IllegalStateException if the pool is broken
   */
  @SuppressWarnings("LockNotBeforeTry") // only waits for the lock
  void awaitRelease() {
    alone.lock();
    alone.unlock();
  }

  /** Begins a call that cannot be held off, because it carries memory. */
  public void begin() {
    inside.incrementAndGet(place());
  }

  /** Ends a call. Called by the thread that began it. */
  public void leave() {
    inside.decrementAndGet(place());
  }

  private int place() {
    return ((int) Thread.currentThread().getId() & (places - 1)) * STRIDE;
  }

  /**
   * Performs a call, so that the pool is neither held nor closed meanwhile.
   *
   * @throws ClosedException if the pool is shut
   */
  public <T extends @Nullable Object> T inside(Supplier<T> call) {
    return health.change(
        () -> {
          if (!enter()) {
            throw closedError();
          }
          try {
            return call.get();
          } finally {
            leave();
          }
        });
  }

  /** Performs a call as {@link #inside} does, unless the pool is shut. */
  public void insideIfOpen(Runnable call) {
    health.run(
        () -> {
          if (enter()) {
            try {
              call.run();
            } finally {
              leave();
            }
          }
        });
  }

  /**
   * Leaves the call for an action that may take any time, carrying no memory. The call then goes
   * on, even if the pool was shut meanwhile; the caller checks {@link #isShut}.
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

  // ---- holding off and shutting ----

  /**
   * Holds off all other calls until {@link #resume}, and waits until those inside have left. A pool
   * that is shut meanwhile stays shut. Must not be called by a thread that is inside the gate of a
   * pool.
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
        resume();
      }
    }
  }

  /** Allows calls again. Called by the thread that holds them off. */
  public void resume() {
    if (state == State.HELD) {
      state = State.OPEN;
    }
    alone.unlock();
  }

  /**
   * Refuses calls from now on; those inside may finish. Waits while another thread holds calls off.
   * Must not be called by a thread that is inside the gate of a pool.
   */
  public void shut() {
    shutUnless(() -> {});
  }

  /** Refuses calls from now on, unless {@code refusal} throws. New calls wait meanwhile. */
  void shutUnless(Runnable refusal) {
    // Another thread that holds calls off could reopen the pool otherwise.
    alone.lock();
    State before = state;
    State after = before;
    try {
      if (before == State.OPEN) {
        state = State.HELD;
        refusal.run();
      }
      after = State.SHUT;
    } finally {
      state = after;
      alone.unlock();
    }
  }

  /** Refuses calls to a broken pool from now on, without a wait. */
  public void shutBroken() {
    state = State.SHUT;
  }

  public boolean isShut() {
    return state == State.SHUT;
  }

  /** Returns whether the pool is shut and no call is inside. Memory may still be freed. */
  public boolean isDeserted() {
    if (!isShut()) {
      return false;
    }
    for (int i = 0; i < places; i++) {
      if (inside.get(i * STRIDE) != 0) {
        return false;
      }
    }
    return true;
  }

  /**
   * Waits until all calls have left, while new ones are held off or the pool is shut.
   *
   * @throws IllegalStateException if the pool is broken, because a call may have ended uncounted
   */
  public void awaitDeserted() {
    boolean interrupted = false;
    try {
      for (int i = 0; i < places; i++) {
        for (int looks = 1; inside.get(i * STRIDE) != 0; looks++) {
          if (looks % SPINS == 0) {
            health.requireIntact();
            // An interrupted thread would not sleep, so the interrupt is restored afterwards.
            interrupted |= Thread.interrupted();
            LockSupport.parkNanos(NAP_NANOS);
          } else {
            Thread.onSpinWait();
          }
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  // ---- errors ----

  /**
   * Refuses a call if the pool is shut or broken.
   *
   * @throws ClosedException if the pool is shut
   * @throws IllegalStateException if the pool is broken
   */
  public void requireOpen() {
    if (isShut()) {
      throw closedError();
    }
    health.requireIntact();
  }

  /**
   * Refuses an allocation whose pool was closed while it waited.
   *
   * @throws ClosedException if the pool is shut
   */
  public void requireStillOpen() {
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
