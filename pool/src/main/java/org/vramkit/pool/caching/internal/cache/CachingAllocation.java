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
 * The handle of one allocation: 32 bytes, made anew each time. It carries its block, so that a free
 * looks nothing up; whoever takes the block out has closed it.
 *
 * <p>The block is taken out under the lock of its stripe, which does not change while the handle is
 * open. A thread that has read the block just before another one closed the handle may read a
 * stripe that the block went to since; that stripe's lock then shows it the handle as closed,
 * because the block came there by way of the first stripe's lock.
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

  /** Always false, which no compiler knows. */
  private static boolean neverTaken;

  /**
   * What a handle that is watched holds in place of its block, and no other object does: once the
   * collector finds this, the handle is gone. Watching the handle itself would make it an object of
   * the Java heap wherever it is allocated, also where the compiler could do without.
   *
   * @param block of the handle
   */
  public record Watched(Block block) {}

  /** A block, or a {@link Watched} one. */
  private volatile @Nullable Object block;

  private long address;
  private final long size;

  /** Holds nothing yet: made before a block is taken, so that none is lost for lack of a handle. */
  public CachingAllocation(long size) {
    requireStack();
    this.size = size;
  }

  /**
   * Takes hold of a block, before anybody else knows the handle.
   *
   * @param held the block, or a {@link Watched} one
   */
  public void hold(Block taken, Object held) {
    address = taken.address;
    // The handle is published by whoever allocated; a plain write saves a fence on the hot path.
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
        // Else it might be found while this waits for the lock, and be told of.
        Reference.reachabilityFence(held);
      }
    }
  }

  /**
   * Room for the rest of a hit or a close, some two dozen frames of the interpreter, and of a claim
   * of what is live that one of them gives back: 4 KiB, as {@link ArenaGate#requireStack} asks for
   * more.
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
   * Whether it had the block until now. Under the lock of the block's stripe.
   *
   * @param held the block, or by way of what it was held
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
        wanted + " is not to be had any more",
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
