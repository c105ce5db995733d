package org.vramkit.pool.caching.internal.heap;

import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Figure;
import org.vramkit.pool.support.Stats;

/**
 * How much memory an allocator or one of its private pools may reserve. All pools together must
 * stay below the allocator's limit; a private pool may also have a limit of its own.
 */
public final class MemoryLimit {
  final Stats stats;

  /** The limit of the allocator, which is this one for the default pool. */
  private final MemoryLimit all;

  private final LongSupplier livePeak;
  private volatile long own;

  /**
   * Creates the limit of an allocator.
   *
   * @param livePeak supplies the peak of the live bytes of all pools
   */
  public MemoryLimit(long bytes, Stats stats, LongSupplier livePeak) {
    this(bytes, stats, livePeak, null);
  }

  private MemoryLimit(long bytes, Stats stats, LongSupplier livePeak, @Nullable MemoryLimit all) {
    this.own = bytes;
    this.stats = stats;
    this.livePeak = livePeak;
    this.all = all == null ? this : all;
  }

  /** Creates the limit of a private pool, whose figures are part of this allocator's. */
  public MemoryLimit ofPool(long bytes) {
    return new MemoryLimit(bytes, new Stats(stats), livePeak, this);
  }

  /**
   * Returns how many bytes all pools together may reserve before this pool must stop growing: the
   * allocator's limit, or if lower, this pool's own limit plus the bytes of the other pools.
   */
  public long bytes() {
    if (all == this) {
      return own;
    }
    long others = reserved() - held();
    return Math.min(own > Long.MAX_VALUE - others ? Long.MAX_VALUE : own + others, all.own);
  }

  /** Returns the limit that was set for this pool, or for the allocator. */
  public long own() {
    return own;
  }

  /** Returns the allocator's limit, ignoring a private pool's own. */
  public long ofAll() {
    return all.own;
  }

  /** Sets the limit of this pool, or of the allocator. */
  public void set(long bytes) {
    own = bytes;
  }

  public long reserved() {
    return all.held();
  }

  /** Returns the reserved bytes of this pool. */
  public long held() {
    return stats.current(Figure.RESERVED);
  }

  long reservedPeak() {
    return all.stats.get(Figure.RESERVED).peak();
  }

  /** Returns whether {@code bytes} more can be reserved within the limits. */
  boolean allows(long bytes) {
    return bytes <= bytes() - reserved();
  }

  /** Returns the {@linkplain Stats#growthBound growth bound} of the reserved bytes of all pools. */
  long growthBound() {
    return Stats.growthBound(livePeak.getAsLong());
  }
}
