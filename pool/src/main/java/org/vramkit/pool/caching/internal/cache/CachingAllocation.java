package org.vramkit.pool.caching.internal.cache;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.ref.Reference;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;
import org.vramkit.pool.caching.internal.heap.Block;

/**
 * The handle of an allocation: a new object of 32 bytes each time. It refers to its block, so a
 * free needs no lookup. Of several threads that close the handle, the one that clears the reference
 * frees the block.
 *
 * <p>The reference is cleared under the lock of the block's thread cache, which is the same as long
 * as the handle is open. A thread may read the block just before another thread closes the handle,
 * and lock the cache that the block moved to since. It then finds the handle closed, because the
 * block moved under the first lock.
 */
public final class CachingAllocation implements Allocation {
  private static final VarHandle BLOCK;

  static {
    try {
      BLOCK = MethodHandles.lookup().findVarHandle(CachingAllocation.class, "block", Object.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private static final String USE_EARLIER = "use it before closing it, or allocate a new one";
  private static final String RECORD_EARLIER = "record its uses before closing it";

  /** Always false, unknown to the compiler. */
  private static boolean neverTaken;

  /**
   * The referent of a leak tracker. Only a tracked handle refers to it, in place of the block, so
   * it becomes unreachable together with the handle. Tracking handles themselves would keep escape
   * analysis from removing them.
   */
  public record Watched(Block block) {}

  /** A block, or a {@link Watched} block; null once closed. */
  private volatile @Nullable Object block;

  private long address;
  private final long size;

  /**
   * Creates a handle without a block. Called before the block is taken, so that a full Java heap
   * loses no block.
   */
  public CachingAllocation(long size) {
    requireStack();
    this.size = size;
  }

  /** Sets the block, before the handle is published. */
  public void hold(Block taken, Object held) {
    address = taken.address;
    // The caller publishes the handle; a plain write saves a fence on the hot path.
    BLOCK.set(this, held);
  }

  @Override
  public long getAddress() {
    open(USE_EARLIER);
    return address;
  }

  @Override
  public long getSize() {
    return size;
  }

  @Override
  public Stream getStream() {
    return open(USE_EARLIER).owner().stream;
  }

  @Override
  public boolean isClosed() {
    return block == null;
  }

  @Override
  public void recordUse(Stream stream) {
    Block held = open(RECORD_EARLIER);
    StreamCache.of(held).backing.recordUse(held, stream);
  }

  @Override
  public void close() {
    requireStack();
    Object held = (Object) BLOCK.getAcquire(this);
    if (held != null) {
      Block closing = blockOf(held);
      try {
        ThreadCache.of(closing).close(this, held, closing);
      } finally {
        // Otherwise the collector might find it while this waits for the lock, and report a leak.
        Reference.reachabilityFence(held);
      }
    }
  }

  /**
   * Throws a StackOverflowError now if too little stack is left. Thrown in the middle of a later
   * change, the error would leave a lock held or lose a block.
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

  private static Block blockOf(Object held) {
    return held instanceof Block plain ? plain : ((Watched) held).block;
  }

  /**
   * Clears the block; returns false if the handle was closed before. Called under the lock of the
   * block's thread cache.
   */
  boolean giveUp(Object held) {
    if ((Object) BLOCK.get(this) != held) {
      return false;
    }
    BLOCK.setRelease(this, (Object) null);
    return true;
  }

  private Block open(String remedy) {
    Object held = block;
    if (held != null) {
      return blockOf(held);
    }
    throw new ClosedException(
        "allocation of " + size + " bytes",
        "its memory may belong to another allocation now",
        remedy);
  }

  @Override
  public String toString() {
    return (isClosed() ? "closed allocation of " : "allocation of ")
        + size
        + " bytes at 0x"
        + Long.toHexString(address);
  }
}
