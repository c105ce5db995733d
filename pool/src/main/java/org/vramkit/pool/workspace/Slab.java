package org.vramkit.pool.workspace;

import java.util.List;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.device.Stream;
import org.vramkit.pool.support.LeasedMemory;
import org.vramkit.pool.support.Piece;
import org.vramkit.pool.support.StreamClocks;
import org.vramkit.pool.support.StreamPoint;
import org.vramkit.pool.support.StreamUses;
import org.vramkit.pool.support.Streams;

/**
 * The memory of a workspace, and the point of its last use. Each stream that leases the slab waits
 * for the previous use, so a wait for the last use covers all uses.
 */
final class Slab extends Piece<Long> {
  final LeasedMemory memory;
  private final Allocator allocator;
  private final StreamClocks clocks;

  /** The stream that the memory was allocated on. */
  private final Stream allocationStream;

  private StreamPoint last;

  Slab(long size, Stream allocationStream, Allocator allocator, StreamClocks clocks) {
    super(size, size, new StreamUses(clocks.captured()));
    this.memory = new LeasedMemory(allocator.getDevice());
    this.allocator = allocator;
    this.clocks = clocks;
    this.allocationStream = allocationStream;
    this.last = clocks.of(allocationStream).now();
  }

  boolean wasLastUsedBy(Stream stream) {
    return Streams.areSame(own(), stream);
  }

  /** Begins a lease on a stream, ordered after every earlier use. */
  void lease(Stream next) {
    orderAfterUses(next);
    memory.leased(size(), next);
  }

  /** Ends a lease at the current point of its stream. */
  void endLease() {
    last = clocks.of(own()).now();
    memory.leaseEnded(size(), own());
  }

  /**
   * Orders the work of a stream after every earlier use. On the stream of the last use, or if that
   * use is known to be complete, this costs nothing. Otherwise the stream waits for an event.
   */
  private void orderAfterUses(Stream next) {
    if (!wasLastUsedBy(next)) {
      last.orderBefore(next);
      last = clocks.of(next).now();
    }
  }

  @Override
  protected void fill() {
    memory.allocate(() -> allocator.allocate(size(), allocationStream));
  }

  /** Returns the memory to the allocator, in the order of the last use. */
  @Override
  protected void giveBack(List<StreamPoint> none) {
    memory.giveBack(wasLastUsedBy(allocationStream) ? List.of() : List.of(last));
  }

  @Override
  protected Stream own() {
    return last.stream();
  }

  @Override
  protected boolean isGone() {
    return memory.isGone();
  }
}
