package org.vramkit.pool.workspace;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.device.Stream;
import org.vramkit.pool.support.AllocatedPiece;
import org.vramkit.pool.support.StreamClocks;
import org.vramkit.pool.support.StreamPoint;
import org.vramkit.pool.support.Streams;

/**
 * The memory of a workspace, and the point of its last use. Each stream that leases the slab waits
 * for the previous use, so a wait for the last use covers all uses.
 */
final class Slab extends AllocatedPiece<Long> {
  private final StreamClocks clocks;
  private StreamPoint last;

  Slab(long size, Stream allocationStream, Allocator allocator, StreamClocks clocks) {
    super(size, size, allocationStream, allocator, clocks.captured());
    this.clocks = clocks;
    this.last = clocks.of(allocationStream).now();
  }

  @Override
  protected boolean isPreferredBy(@Nullable Stream stream) {
    return isFree() && stream != null && wasLastUsedBy(stream);
  }

  private boolean wasLastUsedBy(Stream stream) {
    return Streams.areSame(own(), stream);
  }

  /** Begins a lease on a stream, ordered after every earlier use. */
  void lease(Stream next) {
    orderAfterUses(next);
    leased(size(), next);
  }

  /**
   * Records a use by another stream; the slab is not leased again before that stream has passed.
   */
  void recordUse(Stream user) {
    if (!wasLastUsedBy(user)) {
      uses.record(user);
      used(user);
    }
  }

  /** Ends a lease at the current point of its stream. */
  void endLease() {
    last = clocks.of(own()).now();
    leaseEnded(size(), own());
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

  /** Returns the memory to the allocator, in the order of the last use. */
  @Override
  protected void giveBack(List<StreamPoint> none) {
    super.giveBack(isOf(own()) ? List.of() : List.of(last));
  }

  @Override
  protected Stream own() {
    return last.stream();
  }
}
