package org.vramkit.pool.caching.internal.stats;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.vramkit.api.allocator.TagUsage;

/**
 * What is live of each tag, over all stripes and pools. Tags are as many as a program names, and it
 * may name them by its requests: so only the first ones are counted each by itself. Safe for any
 * thread.
 */
public final class TagGauges {
  /** How many are. */
  static final int MOST = 1024;

  private final Map<String, LiveUsage.Level> gauges = new ConcurrentHashMap<>();
  private final AtomicInteger count = new AtomicInteger();

  /** The name that a tag is counted under. */
  String nameOf(String tag) {
    if (gauges.containsKey(tag)) {
      return tag;
    }
    return count.get() < MOST ? tag : TagUsage.OTHERS;
  }

  LiveUsage.Level of(String name) {
    LiveUsage.Level known = gauges.get(name);
    return known != null ? known : gauges.computeIfAbsent(name, this::learn);
  }

  private LiveUsage.Level learn(String name) {
    count.incrementAndGet();
    return new LiveUsage.Level();
  }

  /** The most that was live of a tag, or more: see {@link TagAccount}. */
  long peakOf(String name) {
    LiveUsage.Level gauge = gauges.get(name);
    return gauge == null ? 0 : gauge.peak();
  }

  void resetPeaks() {
    gauges.values().forEach(LiveUsage.Level::resetPeak);
  }
}
