package org.vramkit.pool.caching.internal.stats;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.TagUsage;
import org.vramkit.pool.support.Gauge;

/**
 * The live bytes of each tag of an allocator or a private pool, and their peaks. A program may
 * derive tags from its requests, so only the first {@link #MOST} are counted separately.
 * Thread-safe.
 */
public final class TagGauges {
  /** Most tags that are counted separately. */
  static final int MOST = 1024;

  private final @Nullable TagGauges total;
  private final Map<String, Gauge> gauges = new ConcurrentHashMap<>();

  /** Creates the gauges of an allocator. */
  TagGauges() {
    this.total = null;
  }

  /** Creates the gauges of a private pool, which count for the allocator too. */
  TagGauges(TagGauges total) {
    this.total = total;
  }

  /** Returns the name under which a tag is counted. */
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

  /** Returns the peak of a tag, or a little more; see {@link TagAccount}. */
  long peakOf(String name) {
    Gauge gauge = gauges.get(name);
    return gauge == null ? 0 : gauge.peak();
  }

  void resetPeaks() {
    gauges.values().forEach(Gauge::resetPeak);
  }
}
