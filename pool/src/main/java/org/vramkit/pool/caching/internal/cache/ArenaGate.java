package org.vramkit.pool.caching.internal.cache;

import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.vramkit.api.error.ClosedException;

/**
 * Counts the calls inside a pool behind the thread caches, such as one that carries a block between
 * a cache and the heap. A thread may hold off new calls and wait until those inside have left, to
 * see the pool at one moment, or shut the pool.
 *
 * <p>Hits are not counted. Freezing the caches ends them.
 *
 * <p>Threads are spread over several counters, each on its own cache line. A counter that is zero
 * while new calls are held off stays so: a later call leaves at once.
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

  /** Always false, unknown to the compiler. */
  private static boolean neverTaken;

  private final String name;
  private final Runnable freeze;
  private final Runnable thaw;
  private final AtomicLongArray inside = new AtomicLongArray(PLACES * STRIDE);

  /** Held by the thread that holds calls off. Acquired before all locks of a call. */
  private final ReentrantLock alone = new ReentrantLock();

  private volatile State state = State.OPEN;

  /**
   * Creates the gate of an open pool.
   *
   * @param freeze empties the caches into the heap and prevents hits
   * @param thaw allows hits again
   */
  public ArenaGate(String name, Runnable freeze, Runnable thaw) {
    this.name = name;
    this.freeze = freeze;
    this.thaw = thaw;
  }

  /**
   * Begins a call. Waits while another thread holds calls off.
   *
   * @return true if the call may go on, and then must {@link #leave}; false if the pool is shut
   */
  public boolean enter() {
    requireStack();
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

  @SuppressWarnings("LockNotBeforeTry") // only waits for the lock
  private void awaitRelease() {
    alone.lock();
    alone.unlock();
  }

  /** Counts a call that cannot be held off, because it carries a block. */
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
   * Performs an action while the pool can be neither held nor closed.
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
   * Holds off all other calls, prevents hits and moves all free blocks to the heap, until {@link
   * #resume}. A pool that is shut meanwhile stays shut. Must not be called from inside a call.
   */
  public void hold() {
    requireStack();
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
        thaw.run();
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
   * Must not be called from inside a call.
   */
  public void shut() {
    requireStack();
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
   * Refuses an allocation that waited while the pool was closed.
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

  /**
   * Makes a StackOverflowError come here, before any change, rather than in the middle of one,
   * where it would leave a lock held or lose a block.
   *
   * <p>Unused local variables request the room. The interpreter reserves it when it enters the
   * method. A compiler drops the variables, but must be able to deoptimise to the interpreter at
   * the branch that was never taken; so HotSpot checks at the entry of the compiled method that the
   * interpreter's frame would fit. Other JVMs may ignore this.
   *
   * <p>8 KiB suffice for a search behind the thread caches and for a driver call.
   */
  @SuppressWarnings("unused")
  public static void requireStack() {
    long aa, ab, ac, ad, ae, af, ag, ah, ai, aj, ak, al, am, an, ao, ap, aq, ar, as, at, au, av, aw;
    long ax, ay, az, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, aA, aB, aC, aD, aE, aF, aG, aH, aI, aJ;
    long aK, aL, aM, aN, aO, aP, aQ, aR, aS, aT, aU, aV, aW, aX, aY, aZ, ba, bb, bc, bd, be, bf, bg;
    long bh, bi, bj, bk, bl, bm, bn, bo, bp, bq, br, bs, bt, bu, bv, bw, bx, by, bz, b0, b1, b2, b3;
    long b4, b5, b6, b7, b8, b9, bA, bB, bC, bD, bE, bF, bG, bH, bI, bJ, bK, bL, bM, bN, bO, bP, bQ;
    long bR, bS, bT, bU, bV, bW, bX, bY, bZ, ca, cb, cc, cd, ce, cf, cg, ch, ci, cj, ck, cl, cm, cn;
    long co, cp, cq, cr, cs, ct, cu, cv, cw, cx, cy, cz, c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, cA;
    long cB, cC, cD, cE, cF, cG, cH, cI, cJ, cK, cL, cM, cN, cO, cP, cQ, cR, cS, cT, cU, cV, cW, cX;
    long cY, cZ, da, db, dc, dd, de, df, dg, dh, di, dj, dk, dl, dm, dn, dp, dq, dr, ds, dt, du, dv;
    long dw, dx, dy, dz, d0, d1, d2, d3, d4, d5, d6, d7, d8, d9, dA, dB, dC, dD, dE, dF, dG, dH, dI;
    long dJ, dK, dL, dM, dN, dO, dP, dQ, dR, dS, dT, dU, dV, dW, dX, dY, dZ, ea, eb, ec, ed, ee, ef;
    long eg, eh, ei, ej, ek, el, em, en, eo, ep, eq, er, es, et, eu, ev, ew, ex, ey, ez, e0, e1, e2;
    long e3, e4, e5, e6, e7, e8, e9, eA, eB, eC, eD, eE, eF, eG, eH, eI, eJ, eK, eL, eM, eN, eO, eP;
    long eQ, eR, eS, eT, eU, eV, eW, eX, eY, eZ, fa, fb, fc, fd, fe, ff, fg, fh, fi, fj, fk, fl, fm;
    long fn, fo, fp, fq, fr, fs, ft, fu, fv, fw, fx, fy, fz, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9;
    long fA, fB, fC, fD, fE, fF, fG, fH, fI, fJ, fK, fL, fM, fN, fO, fP, fQ, fR, fS, fT, fU, fV, fW;
    long fX, fY, fZ, ga, gb, gc, gd, ge, gf, gg, gh, gi, gj, gk, gl, gm, gn, go, gp, gq, gr, gs, gt;
    long gu, gv, gw, gx, gy, gz, g0, g1, g2, g3, g4, g5, g6, g7, g8, g9, gA, gB, gC, gD, gE, gF, gG;
    long gH, gI, gJ, gK, gL, gM, gN, gO, gP, gQ, gR, gS, gT, gU, gV, gW, gX, gY, gZ, ha, hb, hc, hd;
    long he, hf, hg, hh, hi, hj, hk, hl, hm, hn, ho, hp, hq, hr, hs, ht, hu, hv, hw, hx, hy, hz, h0;
    long h1, h2, h3, h4, h5, h6, h7, h8, h9, hA, hB, hC, hD, hE, hF, hG, hH, hI, hJ, hK, hL, hM, hN;
    long hO, hP, hQ, hR, hS, hT, hU, hV, hW, hX, hY, hZ, ia, ib, ic, id, ie, ig, ih, ii, ij, ik, il;
    long im, in, io, ip, iq, ir;
    if (neverTaken) {
      throw new IllegalStateException("never");
    }
  }
}
