package org.vramkit.pool.support;

import static java.util.Objects.requireNonNull;

import java.util.List;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;

/** A handle of a {@link BlockAllocator}, with the streams that use its memory. */
public class BlockAllocation extends OpenAllocation {
  private final BlockAllocator allocator;
  final long size;
  final Stream stream;
  private long address;

  /** The recorded streams; null for an empty allocation. Set with the address. */
  private @Nullable StreamUses uses;

  /** True if a graph uses the memory of the closed handle. */
  private volatile boolean inGraph;

  protected BlockAllocation(BlockAllocator allocator, long size, Stream stream) {
    super(allocator);
    this.allocator = allocator;
    this.size = size;
    this.stream = stream;
  }

  /** Gives the handle its memory. */
  protected final void fill(long at, StreamUses users) {
    address = at;
    uses = users;
  }

  @Override
  public final long getAddress() {
    requireOpen("use it before closing it, or allocate a new one");
    return address;
  }

  @Override
  public final long getSize() {
    return size;
  }

  @Override
  public final Stream getStream() {
    requireOpen("use it before closing it, or allocate a new one");
    return stream;
  }

  @Override
  public final void recordUse(Stream user) {
    Streams.refuseForeignUse(user, allocator.getDevice(), "the memory");
    synchronized (this) {
      requireOpen("record its uses before closing it");
      if (size == 0 || Streams.areSame(stream, user) || !uses().record(user)) {
        return;
      }
    }
    allocator.getDevice().getMemoryObserver().used(address, user);
  }

  private void requireOpen(String remedy) {
    if (isClosed()) {
      throw new ClosedException(
          "allocation of " + size + " bytes",
          "its memory may belong to another allocation now",
          remedy);
    }
  }

  private StreamUses uses() {
    return requireNonNull(uses, "uses");
  }

  // ---- the memory of a closed handle ----

  @Override
  protected final void free() {
    if (size == 0) {
      return;
    }
    synchronized (this) {
      // No use is recorded from here on.
      inGraph = uses().isInGraph(stream);
    }
    allocator.free(this);
  }

  final long address() {
    return address;
  }

  /** Returns the recorded streams, which do not change once the handle is closed. */
  final List<Stream> users() {
    return uses().users();
  }

  final boolean isInGraph() {
    return inGraph;
  }

  /** Notes that the graphs that used the memory are closed and their work is done. */
  final void leaveGraphs() {
    inGraph = false;
  }

  /** Returns whether a capture prevents waiting for the streams of the memory now. */
  final boolean isUnqueryable() {
    CapturedStreams captured = allocator.captured();
    return captured.isUnqueryable(stream) || users().stream().anyMatch(captured::isUnqueryable);
  }

  /** Frees the memory unless an earlier call did. */
  final void giveBackOnce(LongConsumer driver) {
    if (address != 0) {
      driver.accept(address);
      address = 0;
    }
  }

  @Override
  public final String toString() {
    return (isClosed() ? "closed allocation of " : "allocation of ")
        + size
        + " bytes at 0x"
        + Long.toHexString(address);
  }
}
