package org.vramkit.pool.caching.internal.cache;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.ref.Reference;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;
import org.vramkit.pool.caching.internal.heap.Block;
import org.vramkit.pool.support.UserError;

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
   * breaks nothing.
   */
  public CachingAllocation(long size) {
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
    Object held = (Object) BLOCK.getAcquire(this);
    if (held != null) {
      Block closing = blockOf(held);
      ThreadCache home = ThreadCache.of(closing);
      try {
        home.close(this, held, closing);
      } catch (UserError e) {
        throw e.unwrap();
      } catch (Error e) {
        home.owner.health.slowPath = true;
        home.owner.health.brokenBy = e;
        throw e;
      } finally {
        // Otherwise the collector might find it while this waits for the lock, and report a leak.
        Reference.reachabilityFence(held);
      }
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
