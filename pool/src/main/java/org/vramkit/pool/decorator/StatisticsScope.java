package org.vramkit.pool.decorator;

import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.Stat;
import org.vramkit.pool.support.Meter;

/**
 * Counts what is allocated through it and nothing else, exactly. For a part of a program: make one,
 * hand it to that part, read it afterwards. A scope inside a scope counts in both.
 *
 * <p>Its monitor guards the counters and is a leaf.
 */
public final class StatisticsScope extends AllocatorDecorator {
  private final Meter bytes = new Meter();
  private final Meter allocations = new Meter();

  private StatisticsScope(Allocator upstream) {
    super(upstream);
  }

  /** A scope in which nothing was allocated yet. */
  public static StatisticsScope over(Allocator upstream) {
    return new StatisticsScope(upstream);
  }

  @Override
  synchronized void allocated(DecoratedAllocation allocation) {
    bytes.add(allocation.size);
    allocations.add(1);
  }

  @Override
  synchronized void freed(DecoratedAllocation allocation) {
    bytes.remove(allocation.size);
    allocations.remove(1);
  }

  /** Requested bytes of this scope. */
  public synchronized Stat getBytes() {
    return bytes.read();
  }

  /** Allocations of this scope; empty ones are not counted. */
  public synchronized Stat getAllocations() {
    return allocations.read();
  }

  /** Makes this scope's peaks the current values. */
  public synchronized void resetScopePeaks() {
    bytes.resetPeak();
    allocations.resetPeak();
  }
}
