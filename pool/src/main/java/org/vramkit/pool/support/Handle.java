package org.vramkit.pool.support;

import java.util.List;
import java.util.Set;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;
import org.vramkit.pool.support.OpenAllocations.Open;

/**
 * An allocation of a {@link BlockAllocator}, with the recorded streams. The first thread that
 * closes it frees the allocation. No driver call is made under its monitor.
 */
final class Handle implements Allocation {
  private static final String USE_EARLIER = "use it before closing it, or allocate a new one";
  private static final String RECORD_EARLIER = "record its uses before closing it";

  private final BlockAllocator allocator;
  final long address;
  final long size;
  final Stream stream;
  private final StreamUses uses;
  private volatile boolean closed;

  /** True if the handle is closed and a graph uses the memory. Set once, before the free. */
  private boolean inGraph;

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
    Streams.refuseForeignUse(user, allocator.getDevice(), "the memory");
    synchronized (this) {
      checkOpen(RECORD_EARLIER);
      if (size == 0 || Streams.areSame(stream, user) || !uses.record(user)) {
        return;
      }
    }
    allocator.getDevice().getMemoryObserver().used(address, user);
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
      inGraph = uses.isInGraph(stream);
      allocator.free(this);
    } catch (Error e) {
      allocator.gate.brokenBy = e;
      throw e;
    }
  }

  // ---- the memory of a closed handle ----

  /** Returns the recorded streams, which other threads do not change once the handle is closed. */
  List<Stream> users() {
    return uses.users();
  }

  boolean isInGraph() {
    return inGraph;
  }

  /** Returns whether a capture prevents waiting for the streams of the memory now. */
  boolean isUnqueryable() {
    CapturedStreams captured = allocator.captured();
    return captured.isUnqueryable(stream) || users().stream().anyMatch(captured::isUnqueryable);
  }

  Set<Device> devices() {
    Set<Device> devices = Streams.devicesOf(users());
    devices.add(stream.getDevice());
    return devices;
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
