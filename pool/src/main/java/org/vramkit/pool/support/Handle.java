package org.vramkit.pool.support;

import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;
import org.vramkit.pool.support.OpenAllocations.Open;

/**
 * The handle of an allocation of a {@link BlockAllocator}, with the recorded streams. The first
 * thread that closes it frees the allocation. No driver call is made under its monitor.
 */
final class Handle implements Allocation {
  private static final String USE_EARLIER = "use it before closing it, or allocate a new one";
  private static final String RECORD_EARLIER = "record its uses before closing it";

  private final BlockAllocator allocator;
  private final long address;
  private final long size;
  private final Stream stream;
  private final StreamUses uses;
  private volatile boolean closed;

  /**
   * True if the caller has the handle and has not closed it. Set as the last step of the
   * allocation, without a call, so that no JVM error can occur after it.
   */
  volatile boolean held;

  Handle(BlockAllocator allocator, long address, long size, Stream stream) {
    this.allocator = allocator;
    this.address = address;
    this.size = size;
    this.stream = stream;
    this.uses = new StreamUses(allocator.captured());
  }

  @Override
  public long getAddress() {
    checkOpen(USE_EARLIER);
    return address;
  }

  @Override
  public long getSize() {
    return size;
  }

  @Override
  public Stream getStream() {
    checkOpen(USE_EARLIER);
    return stream;
  }

  @Override
  public boolean isClosed() {
    return closed;
  }

  @Override
  public void recordUse(Stream user) {
    allocator.checkUser(user);
    synchronized (this) {
      checkOpen(RECORD_EARLIER);
      if (size == 0 || Streams.areSame(stream, user) || !uses.record(user)) {
        return;
      }
    }
    allocator.used(address, user);
  }

  @Override
  public void close() {
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
      held = false;
    }
    if (size == 0) {
      return;
    }
    try {
      allocator.free(
          this, new DeferredFree(address, size, stream, uses.users(), uses.isInGraph(stream)));
    } catch (Error e) {
      allocator.gate.brokenBy = e;
      throw e;
    }
  }

  Open describe() {
    return new Open(address, size, Streams.nameOf(stream), "");
  }

  private void checkOpen(String remedy) {
    if (closed) {
      throw new ClosedException(
          "allocation of " + size + " bytes",
          "its memory may belong to another allocation now",
          remedy);
    }
  }

  @Override
  public String toString() {
    return (closed ? "closed allocation of " : "allocation of ")
        + size
        + " bytes at 0x"
        + Long.toHexString(address);
  }
}
