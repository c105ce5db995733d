package org.vramkit.pool.caching.internal.stats;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Stat;
import org.vramkit.pool.caching.internal.event.PoolObserver;
import org.vramkit.pool.support.Gauge;

/**
 * The memory that an allocator or one of its private pools has reserved, with its limits, and
 * counts of driver calls, moves and recovery steps. The figures of an allocator include those of
 * its private pools.
 *
 * <p>Even for a private pool, {@link #reserved}, {@link #limit} and {@link #reservedPeak} cover all
 * pools, because all pools together must stay below the limit. A pool may also have a limit of its
 * own.
 */
public final class ReservedMemory {
  /** Notified of growth, moves and trims. */
  public final PoolObserver observer;

  private final @Nullable ReservedMemory total;
  private volatile long limit;

  private final List<Gauge> gauges = new ArrayList<>();
  private final Gauge reserved;
  private final Gauge segments;

  /** Bytes that suspensions have returned until the resume. */
  private final Gauge suspended;

  // Counts and amounts, which are only added to.
  public final Gauge decayedBytes;
  public final Gauge pagesMoved;
  public final Gauge synchronizations;
  public final Gauge steals;
  public final Gauge retries;
  public final Gauge outOfMemories;
  public final Gauge rejections;
  public final Gauge leaks;

  /** Creates the figures of an allocator. */
  public ReservedMemory(long limit, PoolObserver observer) {
    this(limit, observer, null);
  }

  /** Creates the figures of a private pool, with its own limit and number. */
  public ReservedMemory(long limit, ReservedMemory total, long pool) {
    this(limit, total.observer.ofPool(pool), total);
  }

  private ReservedMemory(long limit, PoolObserver observer, @Nullable ReservedMemory total) {
    this.limit = limit;
    this.observer = observer;
    this.total = total;
    reserved = gauge(total == null ? null : total.reserved);
    segments = gauge(total == null ? null : total.segments);
    suspended = gauge(total == null ? null : total.suspended);
    decayedBytes = gauge(total == null ? null : total.decayedBytes);
    pagesMoved = gauge(total == null ? null : total.pagesMoved);
    synchronizations = gauge(total == null ? null : total.synchronizations);
    steals = gauge(total == null ? null : total.steals);
    retries = gauge(total == null ? null : total.retries);
    outOfMemories = gauge(total == null ? null : total.outOfMemories);
    rejections = gauge(total == null ? null : total.rejections);
    leaks = gauge(total == null ? null : total.leaks);
  }

  private Gauge gauge(@Nullable Gauge ofTotal) {
    Gauge made = new Gauge(ofTotal);
    gauges.add(made);
    return made;
  }

  private ReservedMemory all() {
    return total == null ? this : total;
  }

  /**
   * Returns how many bytes all pools together may reserve before this pool must stop growing: the
   * allocator's limit, or if lower, this pool's own limit plus the bytes of the other pools.
   */
  public long limit() {
    if (total == null) {
      return limit;
    }
    long others = total.reserved() - held();
    long own = limit > Long.MAX_VALUE - others ? Long.MAX_VALUE : limit + others;
    return Math.min(own, total.limit);
  }

  /** Returns the limit that was set for this pool, or for the allocator. */
  public long ownLimit() {
    return limit;
  }

  /** Returns the allocator's limit, ignoring a private pool's own. */
  public long limitOfAll() {
    return all().limit;
  }

  public void limit(long bytes) {
    limit = bytes;
  }

  /** Returns the reserved bytes of all pools. */
  public long reserved() {
    return all().held();
  }

  /** Returns the reserved bytes of this pool. */
  public long held() {
    return reserved.current();
  }

  /** Returns the peak of the reserved bytes of all pools. */
  public long reservedPeak() {
    return all().reserved.peak();
  }

  /** Returns whether {@code bytes} more can be reserved within the limits. */
  public boolean allows(long bytes) {
    return bytes <= limit() - reserved();
  }

  /** Counts memory taken from the driver. Called under the growth lock. */
  public void taken(long bytes, long count) {
    reserved.add(bytes);
    segments.add(count);
  }

  /** Counts memory returned to the driver. Called under the growth lock. */
  public void given(long bytes, long count) {
    reserved.remove(bytes);
    segments.remove(count);
  }

  /** Returns the bytes that suspensions have returned, of all pools for the allocator. */
  public long suspended() {
    return suspended.current();
  }

  /** Counts bytes that a suspension has returned, or a resume taken. */
  public void changeSuspended(long change) {
    suspended.add(change);
  }

  /** Resets the peaks to the current values. */
  public void resetPeaks() {
    reserved.resetPeak();
    segments.resetPeak();
  }

  /** Resets the peaks to the current values, and all counts to 0. */
  public void resetHistory() {
    gauges.forEach(Gauge::reset);
  }

  public Stat reservedStat() {
    return reserved.read();
  }

  /** Returns the segments or chunks; those added and removed are the calls of the driver. */
  public Stat segmentsStat() {
    return segments.read();
  }
}
