package org.vramkit.pool.decorator;

import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.Tally;

/**
 * Counts what is allocated through it and nothing else, exactly. For a part of a program: make one,
 * hand it to that part, read it afterwards. A scope inside a scope counts in both.
 *
 * <p>Its monitor guards the counters and is a leaf.
 */
public final class StatisticsScope extends AllocatorDecorator {
  private Tally bytes = Tally.ZERO;
  private Tally allocations = Tally.ZERO;

  private StatisticsScope(Allocator upstream) {
    super(upstream);
  }

  /** A scope in which nothing was allocated yet. */
  public static StatisticsScope over(Allocator upstream) {
    return new StatisticsScope(upstream);
  }

  @Override
  synchronized void allocated(DecoratedAllocation allocation) {
    bytes = added(bytes, allocation.size);
    allocations = added(allocations, 1);
  }

  @Override
  synchronized void freed(DecoratedAllocation allocation) {
    bytes = removed(bytes, allocation.size);
    allocations = removed(allocations, 1);
  }

  private static Tally added(Tally tally, long amount) {
    long current = tally.current() + amount;
    return new Tally(
        current, Math.max(tally.peak(), current), tally.added() + amount, tally.removed());
  }

  private static Tally removed(Tally tally, long amount) {
    return new Tally(
        tally.current() - amount, tally.peak(), tally.added(), tally.removed() + amount);
  }

  /** Requested bytes of this scope. */
  public synchronized Tally getBytes() {
    return bytes;
  }

  /** Allocations of this scope; empty ones are not counted. */
  public synchronized Tally getAllocations() {
    return allocations;
  }

  /** Makes this scope's peaks the current values. */
  public synchronized void resetScopePeaks() {
    bytes = new Tally(bytes.current(), bytes.current(), bytes.added(), bytes.removed());
    allocations =
        new Tally(
            allocations.current(),
            allocations.current(),
            allocations.added(),
            allocations.removed());
  }
}
