package org.vramkit.pool.caching.internal.stats;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.TagUsage;

/**
 * The live bytes of each tag in an allocator, or in one of its private pools, and their peaks. A
 * program may name tags by its requests: so only the first ones are counted each by itself. Safe
 * for any thread.
 */
public final class TagGauges {
  /** How many tags are counted each by itself. */
  static final int MOST = 1024;

  private final @Nullable TagGauges total;
  private final Map<String, Gauge> gauges = new ConcurrentHashMap<>();

  /** The live bytes of one tag. */
  static final class Gauge {
    private final @Nullable Gauge total;
    private long live;
    private long peak;

    Gauge(@Nullable Gauge total) {
      this.total = total;
    }

    void add(long bytes) {
      synchronized (this) {
        live += bytes;
        peak = Math.max(peak, live);
      }
      if (total != null) {
        total.add(bytes);
      }
    }

    synchronized long live() {
      return live;
    }

    synchronized long peak() {
      return peak;
    }

    synchronized void resetPeak() {
      peak = live;
    }
  }

  /** The tags of an allocator. */
  TagGauges() {
    this.total = null;
  }

  /** The tags of a private pool, which count in those of the allocator too. */
  TagGauges(TagGauges total) {
    this.total = total;
  }

  /** The name that a tag is counted under. */
  String nameOf(String tag) {
    if (total != null) {
      return total.nameOf(tag);
    }
    return gauges.size() < MOST || gauges.containsKey(tag) ? tag : TagUsage.OTHERS;
  }

  Gauge of(String name) {
    Gauge ofTotal = total == null ? null : total.of(name);
    return gauges.computeIfAbsent(name, key -> new Gauge(ofTotal));
  }

  /** The most that was live of a tag, or more: see {@link TagAccount}. */
  long peakOf(String name) {
    Gauge gauge = gauges.get(name);
    return gauge == null ? 0 : gauge.peak();
  }

  void resetPeaks() {
    gauges.values().forEach(Gauge::resetPeak);
  }
}
