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
 * The memory of a workspace, and the point of its last use. Each stream that leases it waits for
 * the one before, so waiting for the last use covers all.
 */
final class Slab extends Piece<Long> {
  final LeasedMemory memory;
  private final Allocator allocator;
  private final StreamClocks clocks;
  private final Stream home;
  private StreamPoint last;

  Slab(long size, Stream home, Allocator allocator, StreamClocks clocks) {
    super(size, size, new StreamUses(clocks.captured()));
    this.memory = new LeasedMemory(allocator.getDevice());
    this.allocator = allocator;
    this.clocks = clocks;
    this.home = home;
    this.last = clocks.of(home).now();
  }

  boolean wasLastUsedBy(Stream stream) {
    return Streams.areSame(own(), stream);
  }

  /** Begins a lease on a stream, ordered after every earlier use. */
  void lease(Stream next) {
    orderAfterUses(next);
    memory.leased(size(), next);
  }

  /** Ends a lease at the present point of its stream. */
  void endLease() {
    last = clocks.of(own()).now();
    memory.leaseEnded(size(), own());
  }

  /**
   * Orders the work of a stream after every earlier use. Costs nothing on the stream of the last
   * use, or if that use is known to be over; else the stream waits for an event.
   */
  private void orderAfterUses(Stream next) {
    if (!wasLastUsedBy(next)) {
      last.orderBefore(next);
      last = clocks.of(next).now();
    }
  }

  @Override
  protected void fill() {
    memory.allocate(() -> allocator.allocate(size(), home));
  }

  /** Returns the memory to the allocator, in the order of the last use. */
  @Override
  protected void giveBack(List<StreamPoint> none) {
    memory.giveBack(wasLastUsedBy(home) ? List.of() : List.of(last));
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
