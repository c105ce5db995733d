package org.vramkit.pool.caching;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;

/**
 * The handle of one allocation: 32 bytes, made anew each time. It carries its block, so that a free
 * looks nothing up; whoever swaps the block out has closed it.
 */
final class CachingAllocation implements Allocation {
  private static final VarHandle BLOCK;

  static {
    try {
      BLOCK = MethodHandles.lookup().findVarHandle(CachingAllocation.class, "block", Block.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private volatile @Nullable Block block;
  private final long address;
  private final long size;

  CachingAllocation(Block block, long size) {
    this.address = block.address;
    this.size = size;
    // The handle is published by whoever allocated; a plain write saves a fence on the hot path.
    BLOCK.set(this, block);
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
    held.owner().allocator.recordUse(held, stream);
  }

  @Override
  public void close() {
    Block held = (Block) BLOCK.getAndSet(this, (Block) null);
    if (held != null) {
      held.owner().allocator.free(held);
    }
  }

  private Block open(String wanted) {
    Block held = block;
    if (held == null) {
      throw new ClosedException(
          "allocation of " + size + " bytes is closed: " + wanted + " is not to be had any more");
    }
    return held;
  }

  @Override
  public String toString() {
    return (isClosed() ? "closed allocation of " : "allocation of ")
        + size
        + " bytes at 0x"
        + Long.toHexString(address);
  }
}
