package org.vramkit.pool.decorator;

import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.Stat;
import org.vramkit.pool.support.Gauge;

/**
 * Counts exactly the allocations that are made through it. To measure a part of a program, let that
 * part allocate through a scope, and read the figures afterwards. Allocations of a scope inside
 * another scope count in both.
 */
public final class StatisticsScope extends AllocatorDecorator {
  private final Gauge bytes = new Gauge();
  private final Gauge allocations = new Gauge();

  private StatisticsScope(Allocator upstream) {
    super(upstream);
  }

  /** Creates an empty scope. */
  public static StatisticsScope over(Allocator upstream) {
    return new StatisticsScope(upstream);
  }

  @Override
  void allocated(DecoratedAllocation allocation) {
    bytes.add(allocation.getSize());
    allocations.add(1);
  }

  @Override
  void freed(DecoratedAllocation allocation) {
    bytes.remove(allocation.getSize());
    allocations.remove(1);
  }

  /** Returns the requested bytes of this scope. */
  public Stat getBytes() {
    return bytes.read();
  }

  /** Returns the allocations of this scope, without empty allocations. */
  public Stat getAllocations() {
    return allocations.read();
  }

  /** Resets the peaks of this scope to the current values. */
  public void resetScopePeaks() {
    bytes.resetPeak();
    allocations.resetPeak();
  }
}
