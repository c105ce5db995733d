package org.vramkit.pool.streamordered;

import java.util.List;
import org.vramkit.api.device.Stream;
import org.vramkit.pool.support.CapturedStreams;
import org.vramkit.pool.support.OwnMemory;
import org.vramkit.pool.support.Piece;
import org.vramkit.pool.support.StreamPoint;
import org.vramkit.pool.support.StreamUses;
import org.vramkit.pool.support.Streams;

/** A cached block of a stream. */
final class FreeBlock extends Piece<Long> {
  private final OwnMemory memory;
  private final Stream stream;
  private long address;
  private boolean gone = true;

  /** True if no other stream used the block. */
  private boolean ownUseOnly;

  /** The time of the free, by the clock of the pool. */
  private long freedAtNanos;

  FreeBlock(long bytes, Stream stream, OwnMemory memory, CapturedStreams captured) {
    super(bytes, bytes, new StreamUses(captured));
    this.memory = memory;
    this.stream = stream;
  }

  /** Sets the address of a block that a caller has closed, and the time of the free. */
  FreeBlock freed(long closed, boolean isOwnUseOnly, long nanos) {
    address = closed;
    gone = false;
    ownUseOnly = isOwnUseOnly;
    freedAtNanos = nanos;
    return this;
  }

  long address() {
    return address;
  }

  /** Returns whether the block serves a stream at once, because only that stream has used it. */
  boolean isInOrderOn(Stream next) {
    return ownUseOnly && Streams.areSame(stream, next);
  }

  /** Returns whether the block was freed before a time of the clock, which may overflow. */
  boolean isOlderThan(long nanos) {
    return freedAtNanos - nanos < 0;
  }

  @Override
  protected Stream own() {
    return stream;
  }

  @Override
  protected void fill() {
    address = memory.allocate(size());
    gone = false;
  }

  @Override
  protected void giveBack(List<StreamPoint> none) {
    memory.free(address);
    gone = true;
  }

  @Override
  protected boolean isGone() {
    return gone;
  }
}
