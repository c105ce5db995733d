package org.vramkit.pool.support;

import java.util.ArrayList;
import java.util.List;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;
import org.vramkit.pool.support.OpenAllocations.Open;

/**
 * The handle of one allocation: open, then closed once, whichever thread comes first. Remembers the
 * streams that were recorded. Its lock is held for memory operations only, never around the driver.
 */
final class Handle extends Chain.Link<Handle> implements Allocation {
  private final BlockAllocator allocator;
  private final long address;
  private final long size;
  private final Stream stream;
  private List<Stream> users = List.of();
  private volatile boolean closed;

  Handle(BlockAllocator allocator, long address, long size, Stream stream) {
    this.allocator = allocator;
    this.address = address;
    this.size = size;
    this.stream = stream;
  }

  @Override
  public long getAddress() {
    checkOpen("its address");
    return address;
  }

  @Override
  public long getSize() {
    return size;
  }

  @Override
  public Stream getStream() {
    checkOpen("its stream");
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
      checkOpen("recordUse");
      if (size == 0 || isKnown(user)) {
        return;
      }
      List<Stream> more = new ArrayList<>(users);
      more.add(user);
      users = more;
    }
    allocator.used(address, user);
  }

  private boolean isKnown(Stream user) {
    return Streams.areSame(stream, user)
        || users.stream().anyMatch(each -> Streams.areSame(each, user));
  }

  @Override
  public void close() {
    List<Stream> recorded;
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
      recorded = users;
    }
    if (size > 0) {
      allocator.free(this, address, size, stream, recorded);
    }
  }

  Open describe() {
    return new Open(address, size, Streams.nameOf(stream), "");
  }

  private void checkOpen(String wanted) {
    if (closed) {
      throw new ClosedException(
          "allocation of " + size + " bytes",
          wanted + " is not to be had any more",
          "use it before its close, or allocate a new one");
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
