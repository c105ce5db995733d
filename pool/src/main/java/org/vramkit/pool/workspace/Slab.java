package org.vramkit.pool.workspace;

import java.util.List;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.device.Stream;
import org.vramkit.pool.support.LentMemory;
import org.vramkit.pool.support.Piece;
import org.vramkit.pool.support.StreamClocks;
import org.vramkit.pool.support.StreamPoint;
import org.vramkit.pool.support.StreamUses;
import org.vramkit.pool.support.Streams;

/**
 * One piece of memory and the moment of its last use. Every stream that takes it over comes after
 * the one before, so coming after the last is coming after all of them.
 */
final class Slab extends Piece<Long> {
  final LentMemory memory;
  private final Allocator allocator;
  private final StreamClocks clocks;
  private final Stream home;
  private StreamPoint last;

  Slab(long size, Stream home, Allocator allocator, StreamClocks clocks) {
    super(size, size, new StreamUses(clocks.captured()));
    this.memory = new LentMemory(allocator.getDevice());
    this.allocator = allocator;
    this.clocks = clocks;
    this.home = home;
    this.last = clocks.of(home).now();
  }

  boolean wasLastUsedBy(Stream stream) {
    return Streams.areSame(own(), stream);
  }

  /** Hands it to a user on a stream, after all earlier uses. */
  void lease(Stream next) {
    handTo(next);
    memory.handedOut(size(), next);
  }

  /** Tells that the user has closed it; what is submitted from now on is no use of it. */
  void endLease() {
    last = clocks.of(own()).now();
    memory.takenBack(size(), own());
  }

  /**
   * Makes the work of a stream come after all earlier uses. Costs nothing on the stream that used
   * it last, nor where that one is known to have passed; else the stream waits for an event.
   */
  private void handTo(Stream next) {
    if (!wasLastUsedBy(next)) {
      last.orderBefore(next);
      last = clocks.of(next).now();
    }
  }

  @Override
  protected void fill() {
    memory.allocate(() -> allocator.allocate(size(), home));
  }

  /** Gives the memory back to its allocator, in the order of the last use. */
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
