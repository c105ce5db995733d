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
 * free needs no lookup. The thread that clears the reference has closed the handle.
 *
 * <p>The reference is cleared under the lock of the block's thread cache, which does not change
 * while the handle is open. A thread that reads the block just before another thread closes the
 * handle may lock a cache that the block has moved to since. It then sees the handle as closed,
 * because the block moved there through the first lock.
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

  /** Always false, unknown to the compiler. */
  private static boolean neverTaken;

  /**
   * The referent of leak detection: a tracked handle alone refers to it, in place of its block, so
   * once the collector finds it unreachable, the handle is gone. Tracking the handle itself would
   * prevent escape analysis from removing handles.
   */
  public record Watched(Block block) {}

  /** A block, or a {@link Watched} block; null once closed. */
  private volatile @Nullable Object block;

  private long address;
  private final long size;

  /**
   * Creates a handle without a block, before a block is taken, so that none is lost if the Java
   * heap is full.
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
    open("its address");
    return address;
  }

  @Override
  public long getSize() {
    return size;
  }

  @Override
  public Stream getStream() {
    return open("its stream").owner().stream;
  }

  @Override
  public boolean isClosed() {
    return block == null;
  }

  @Override
  public void recordUse(Stream stream) {
    Block held = open("recordUse");
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
   * Requires 4 KiB for the rest of a hit or a close, some two dozen frames of the interpreter; see
   * {@link ArenaGate#requireStack}.
   */
  @SuppressWarnings("unused")
  private static void requireStack() {
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
    if (neverTaken) {
      throw new IllegalStateException("never");
    }
  }

  private static Block blockOf(Object held) {
    return held instanceof Block plain ? plain : ((Watched) held).block;
  }

  /**
   * Clears the block; returns whether the handle had it. Called under the lock of the block's
   * thread cache.
   */
  boolean giveUp(Object held) {
    if ((Object) BLOCK.get(this) != held) {
      return false;
    }
    BLOCK.setRelease(this, (Object) null);
    return true;
  }

  private Block open(String wanted) {
    Object held = block;
    if (held != null) {
      return blockOf(held);
    }
    throw new ClosedException(
        "allocation of " + size + " bytes",
        wanted + " may belong to another allocation now",
        "use it before its close, or allocate a new one");
  }

  @Override
  public String toString() {
    return (isClosed() ? "closed allocation of " : "allocation of ")
        + size
        + " bytes at 0x"
        + Long.toHexString(address);
  }
}
