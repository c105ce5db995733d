package org.vramkit.pool.decorator;

import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.Figure;
import org.vramkit.api.allocator.Stat;
import org.vramkit.pool.support.Stats;

/**
 * Counts exactly the allocations that are made through it. To measure a part of a program, let that
 * part allocate through a scope, and read the figures afterwards. Allocations of a scope inside
 * another scope count in both.
 */
public final class StatisticsScope extends AllocatorDecorator {
  private final Stats stats = new Stats();

  private StatisticsScope(Allocator upstream) {
    super(upstream);
  }

  /** Creates an empty scope. */
  public static StatisticsScope over(Allocator upstream) {
    return new StatisticsScope(upstream);
  }

  @Override
  void allocated(DecoratedAllocation allocation) {
    stats.add(Figure.REQUESTED, allocation.getSize());
    stats.add(Figure.ALLOCATIONS, 1);
  }

  @Override
  void freed(DecoratedAllocation allocation) {
    stats.add(Figure.REQUESTED, -allocation.getSize());
    stats.add(Figure.ALLOCATIONS, -1);
  }

  /** Returns the requested bytes of this scope. */
  public Stat getBytes() {
    return stats.get(Figure.REQUESTED);
  }

  /** Returns the allocations of this scope, without empty allocations. */
  public Stat getAllocations() {
    return stats.get(Figure.ALLOCATIONS);
  }

  /** Resets the peaks of this scope to the current values. */
  public void resetScopePeaks() {
    stats.resetPeaks();
  }
}
