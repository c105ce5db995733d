package org.vramkit.micrometer;

import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.api.allocator.Metric;
import org.vramkit.api.allocator.Metric.Kind;
import org.vramkit.api.allocator.Metric.Unit;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.WorkStatistics;

/**
 * A snapshot of an allocator's statistics. The work statistics are 0 for allocators that do not
 * count them.
 */
record Reading(AllocatorStatistics figures, WorkStatistics work, long limit) {
  private static final WorkStatistics NO_WORK = new WorkStatistics(0, 0, 0, 0, 0);

  static final Metric<Reading> LIMIT =
      new Metric<>(
          "limit", Unit.BYTES, Kind.LEVEL, "Maximum of reserved bytes", reading -> reading.limit);

  /** Timers of a caching allocator's work beyond cache hits. */
  static final List<Metric<Reading>> WORK =
      List.of(
          new Metric<>(
              "driver",
              Unit.NANOSECONDS,
              Kind.TIMER,
              "Driver calls that take, move and return memory",
              reading -> reading.work.driverNanos(),
              reading -> reading.work.driverCalls()),
          new Metric<>(
              "wait",
              Unit.NANOSECONDS,
              Kind.TIMER,
              "Waits of host threads for streams",
              reading -> reading.work.waitNanos(),
              reading -> reading.work.waits()));

  /** Allocations by their result: whether a cache, a search or new memory served them. */
  static final Map<String, Metric<Reading>> RESULTS =
      Map.of(
          "cache-hit", allocations(reading -> reading.figures.cacheHits()),
          "search",
              allocations(
                  reading -> reading.figures.servedFromPool() - reading.figures.cacheHits()),
          "grow", allocations(reading -> reading.figures.misses()));

  private static Metric<Reading> allocations(ToLongFunction<Reading> value) {
    return new Metric<>(
        "allocations",
        Unit.COUNT,
        Kind.COUNTER,
        "Allocations, by whether a cache, a search or new memory served them",
        value);
  }

  static Reading of(Allocator allocator) {
    AllocatorStatistics figures = allocator.getStatistics();
    long total = allocator.getDevice().getProperties().totalMemoryBytes();
    return allocator instanceof CachingAllocator caching
        ? new Reading(figures, caching.getWorkStatistics(), Math.min(caching.getLimit(), total))
        : new Reading(figures, NO_WORK, total);
  }
}
