package org.vramkit.pool.caching.internal.cache;

import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.vramkit.api.error.ClosedException;

/**
 * Counts the calls that are under way in one pool behind the thread caches: whoever carries a block
 * from a cache to the heap or back is inside. A thread may hold off new calls and wait until those
 * under way have left, to see the pool as it is at one moment; or shut the pool for good.
 *
 * <p>Hits are not counted. They end where the caches are frozen.
 *
 * <p>Each thread counts itself at one of several places, which lie on cache lines of their own. A
 * place that is seen at zero while new calls are held off stays deserted: a later call leaves again
 * at once.
 */
public final class ArenaGate {
  /** Places for counts; a power of two. Threads are dealt over them by their numbers. */
  private static final int PLACES =
      Integer.highestOneBit(2 * Math.min(16, Runtime.getRuntime().availableProcessors()) - 1);

  /** Longs from one place to the next: a pair of cache lines, which processors fetch together. */
  private static final int STRIDE = 16;

  /** How often a waiting thread looks before it sleeps. */
  private static final int SPINS = 100;

  private static final long NAP_NANOS = 20_000;

  private enum State {
    OPEN,
    /** New calls wait for the thread that has {@code alone}. */
    HELD,
    SHUT
  }

  /** Always false, which no compiler knows. */
  private static boolean neverTaken;

  private final String name;
  private final Runnable freeze;
  private final Runnable thaw;
  private final AtomicLongArray inside = new AtomicLongArray(PLACES * STRIDE);

  /** Held by the thread that holds calls off. Before all locks that a call takes. */
  private final ReentrantLock alone = new ReentrantLock();

  private volatile State state = State.OPEN;

  /**
   * The gate of an open pool.
   *
   * @param name of the pool, for errors
   * @param freeze empties the caches into the heap, and lets no hit happen
   * @param thaw lets hits happen again
   */
  public ArenaGate(String name, Runnable freeze, Runnable thaw) {
    this.name = name;
    this.freeze = freeze;
    this.thaw = thaw;
  }

  /**
   * Begins a call; waits while calls are held off by another thread.
   *
   * @return whether it may go on, and then has to {@link #leave}; false once the pool is shut
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
   * Does something while the pool can be neither held nor closed.
   *
   * @throws ClosedException if it is closed
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
   * Keeps all other calls out, lets no hit happen and has all free blocks in the heap until {@link
   * #resume}. A pool that is shut meanwhile stays shut. Not from inside of a call.
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
      // A close that came before that may carry what its cache had no room for.
      awaitDeserted();
      held = true;
    } finally {
      if (!held) {
        resume();
      }
    }
  }

  /** Lets calls and hits go on, by the thread that holds them off. */
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
   * Lets no call begin from now on; those that are inside may end what they began. Waits while
   * another thread holds calls off. Not from inside of a call.
   */
  public void shut() {
    requireStack();
    // Else a thread that holds calls off could open the pool again.
    alone.lock();
    try {
      state = State.SHUT;
    } finally {
      alone.unlock();
    }
    freeze.run();
  }

  public boolean isShut() {
    return state == State.SHUT;
  }

  /** Whether it is shut and no call is inside; blocks may still be brought home. */
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

  /** Waits until all calls have left. New ones are held off, or the pool is shut. */
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

  /**
   * Refuses to go on in a pool that was closed while an allocation waited.
   *
   * @throws ClosedException if it was
   */
  public void requireOpen() {
    if (isShut()) {
      throw new ClosedException(
          name,
          "the allocation that waited for memory gets none",
          "close it after its last allocation");
    }
  }

  /** Makes the error of a call that comes once the pool is shut. */
  public ClosedException closedError() {
    return new ClosedException(name, "it allocates no memory any more", "make a new one");
  }

  /**
   * Makes sure that a thread has room on its stack before it changes anything: a StackOverflowError
   * in the middle of a change would leave a lock held or a block in nobody's hands. One that comes
   * here comes before.
   *
   * <p>Room is asked for by local variables that nobody uses. The interpreter makes room for all of
   * them when it enters the method. A compiler drops them, but must be able to go back to the
   * interpreter where the branch is taken that never was; so HotSpot checks at the entry of
   * whatever the method was compiled into that the interpreter's frame would fit. Elsewhere this
   * costs nothing and promises nothing.
   *
   * <p>8 KiB are enough for a search behind the thread caches, and for a driver call.
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
