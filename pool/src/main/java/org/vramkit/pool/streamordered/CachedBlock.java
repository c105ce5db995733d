package org.vramkit.pool.streamordered;

import static java.util.Objects.requireNonNull;

import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Stream;
import org.vramkit.pool.support.CapturedStreams;
import org.vramkit.pool.support.DriverMemory;
import org.vramkit.pool.support.Piece;
import org.vramkit.pool.support.StreamPoint;
import org.vramkit.pool.support.StreamUses;
import org.vramkit.pool.support.Streams;

/** The memory of an allocation of one size, live or cached. */
final class CachedBlock extends Piece<Long> {
  private final DriverMemory memory;
  private final LongSupplier clock;

  private Stream stream;

  private long address;
  private boolean gone = true;

  /** True if no other stream used the latest allocation. */
  private boolean ownUseOnly;

  /** The time of the free, by the clock of the pool. */
  private long freedAtNanos;

  CachedBlock(
      long bytes,
      Stream stream,
      DriverMemory memory,
      CapturedStreams captured,
      LongSupplier clock) {
    super(bytes, bytes, new StreamUses(captured));
    this.memory = memory;
    this.stream = stream;
    this.clock = clock;
  }

  long address() {
    return address;
  }

  /** Returns whether the block was freed before a time of the clock, which may overflow. */
  boolean isOlderThan(long nanos) {
    return freedAtNanos - nanos < 0;
  }

  @Override
  protected Stream own() {
    return stream;
  }

  /** Returns whether the block serves a stream at once, because only that stream has used it. */
  @Override
  protected boolean isPreferredBy(@Nullable Stream next) {
    return ownUseOnly && next != null && Streams.areSame(stream, next);
  }

  @Override
  protected boolean waitsForOwn() {
    return true;
  }

  @Override
  protected void begin(@Nullable Stream next) {
    stream = requireNonNull(next);
  }

  @Override
  protected void end(List<Stream> users) {
    ownUseOnly = users.isEmpty();
    freedAtNanos = clock.getAsLong();
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
