package org.vramkit.api.allocator;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.vramkit.api.allocator.Metric.Kind;

/**
 * A snapshot of an allocator's statistics. While no call is in progress and no memory is suspended,
 * {@code reserved = live + cached + fragments} holds, in total and over the streams.
 *
 * <p>A peak is never too low. Peaks of a caching allocator are exact while one thread uses one
 * stream. With several, the peaks of {@code requested}, {@code allocated}, {@code active} and
 * {@code allocations} may be too high by what was free in the thread caches of the others at that
 * moment, and never exceed the peak of {@code reserved}.
 *
 * @param figures all figures; those that an allocator does not count are 0
 * @param streams the share of each stream
 * @param tags the share of each tag, the tag with most live bytes first; empty if tags are not
 *     counted
 */
public record AllocatorStatistics(
    Map<Figure, Stat> figures, List<StreamStatistics> streams, List<TagUsage> tags) {

  /** Copies the collections, and adds missing figures as 0. */
  public AllocatorStatistics {
    Map<Figure, Stat> all = new EnumMap<>(Figure.class);
    for (Figure each : Figure.values()) {
      all.put(each, figures.getOrDefault(each, Stat.ZERO));
    }
    figures = Collections.unmodifiableMap(all);
    streams = List.copyOf(streams);
    tags = List.copyOf(tags);
  }

  /** Built when they are first asked for, because most programs never do. */
  private static final class Metrics {
    static final List<Metric<AllocatorStatistics>> ALL = all();

    private static String decapitalized(String text) {
      return text.substring(0, 1).toLowerCase(Locale.ROOT) + text.substring(1);
    }

    private static List<Metric<AllocatorStatistics>> all() {
      List<Metric<AllocatorStatistics>> all = new ArrayList<>();
      for (Figure each : Figure.values()) {
        boolean peaked = each.getKind() == Kind.GAUGE;
        all.add(
            new Metric<>(
                each.getName(),
                each.getUnit(),
                peaked ? Kind.LEVEL : each.getKind(),
                each.getText(),
                statistics -> statistics.get(each).current()));
        if (peaked) {
          all.add(
              new Metric<>(
                  each.getName() + " peak",
                  each.getUnit(),
                  Kind.LEVEL,
                  "Peak of " + decapitalized(each.getText()),
                  statistics -> statistics.get(each).peak()));
        }
      }
      return List.copyOf(all);
    }
  }

  /** Returns the current values of all figures, and the peaks of gauges, as metrics. */
  public static List<Metric<AllocatorStatistics>> getMetrics() {
    return Metrics.ALL;
  }

  /** Returns a figure. */
  public Stat get(Figure figure) {
    return figures.getOrDefault(figure, Stat.ZERO);
  }

  private long current(Figure figure) {
    return get(figure).current();
  }

  /** Returns {@link Figure#REQUESTED}. */
  public Stat requested() {
    return get(Figure.REQUESTED);
  }

  /** Returns {@link Figure#ALLOCATED}, at least {@code requested}. */
  public Stat allocated() {
    return get(Figure.ALLOCATED);
  }

  /** Returns {@link Figure#LIVE}: allocated and pending bytes. */
  public Stat active() {
    return get(Figure.LIVE);
  }

  /** Returns {@link Figure#RESERVED}. */
  public Stat reserved() {
    return get(Figure.RESERVED);
  }

  /** Returns {@link Figure#ALLOCATIONS}. */
  public Stat allocations() {
    return get(Figure.ALLOCATIONS);
  }

  /** Returns {@link Figure#SEGMENTS}. */
  public Stat segments() {
    return get(Figure.SEGMENTS);
  }

  /** Returns {@link Figure#CACHED}. */
  public long cachedBytes() {
    return current(Figure.CACHED);
  }

  /** Returns {@link Figure#FRAGMENTS}. */
  public long fragmentBytes() {
    return current(Figure.FRAGMENTS);
  }

  /** Returns {@link Figure#SUSPENDED}, which is not part of {@code reserved}. */
  public long suspendedBytes() {
    return current(Figure.SUSPENDED);
  }

  /** Returns {@link Figure#FREE_BLOCKS}. */
  public long freeBlocks() {
    return current(Figure.FREE_BLOCKS);
  }

  /** Returns {@link Figure#SERVED_FROM_POOL}. */
  public long servedFromPool() {
    return current(Figure.SERVED_FROM_POOL);
  }

  /** Returns {@link Figure#CACHE_HITS}, a part of {@code servedFromPool}. */
  public long cacheHits() {
    return current(Figure.CACHE_HITS);
  }

  /** Returns {@link Figure#MISSES}. */
  public long misses() {
    return current(Figure.MISSES);
  }

  /** Returns {@link Figure#DRIVER_ALLOCATIONS}. */
  public long driverAllocations() {
    return current(Figure.DRIVER_ALLOCATIONS);
  }

  /** Returns {@link Figure#DRIVER_FREES}. */
  public long driverFrees() {
    return current(Figure.DRIVER_FREES);
  }

  /** Returns {@link Figure#DECAYED}. */
  public long decayedBytes() {
    return current(Figure.DECAYED);
  }

  /** Returns {@link Figure#PAGES_MOVED}. */
  public long pagesMoved() {
    return current(Figure.PAGES_MOVED);
  }

  /** Returns {@link Figure#MOVE_TIME} and {@link Figure#MOVE_TIME_LEFT}. */
  public MoveTimeStatistics moveTime() {
    return new MoveTimeStatistics(current(Figure.MOVE_TIME), current(Figure.MOVE_TIME_LEFT));
  }

  /** Returns {@link Figure#SYNCHRONIZATIONS}. */
  public long synchronizations() {
    return current(Figure.SYNCHRONIZATIONS);
  }

  /** Returns {@link Figure#STEALS}. */
  public long steals() {
    return current(Figure.STEALS);
  }

  /** Returns {@link Figure#RETRIES}. */
  public long retries() {
    return current(Figure.RETRIES);
  }

  /** Returns {@link Figure#OUT_OF_MEMORIES}. */
  public long outOfMemories() {
    return current(Figure.OUT_OF_MEMORIES);
  }

  /** Returns {@link Figure#REJECTIONS}, a part of {@code outOfMemories}. */
  public long rejections() {
    return current(Figure.REJECTIONS);
  }

  /** Returns {@link Figure#LEAKS}. */
  public long leaks() {
    return current(Figure.LEAKS);
  }

  /**
   * Returns the bytes of live blocks and of closed blocks that wait for other streams: {@code
   * active().current()}.
   */
  public long getLiveBytes() {
    return current(Figure.LIVE);
  }

  /** Returns the reserved bytes that are not allocated: {@code reserved - allocated}. */
  public long getIdleBytes() {
    return reserved().current() - allocated().current();
  }
}
