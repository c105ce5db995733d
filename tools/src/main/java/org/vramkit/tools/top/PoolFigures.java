package org.vramkit.tools.top;

import java.time.Instant;
import jdk.jfr.consumer.RecordedEvent;

/** The figures of one allocator at a moment, from its JFR event; sizes in bytes. */
record PoolFigures(
    Instant time,
    long allocator,
    int device,
    String deviceName,
    long deviceUsed,
    long deviceTotal,
    long live,
    long cached,
    long fragments,
    long suspended,
    long reserved,
    long reservedPeak,
    long allocations,
    long servedFromPool,
    long cacheHits,
    long misses,
    long pagesMoved,
    long outOfMemories,
    long leaks) {
  static final String EVENT = "org.vramkit.PoolStatistics";

  static PoolFigures of(RecordedEvent event) {
    return new PoolFigures(
        event.getStartTime(),
        event.getLong("allocator"),
        event.getInt("device"),
        event.getString("deviceName"),
        event.getLong("deviceUsed"),
        event.getLong("deviceTotal"),
        event.getLong("live"),
        event.getLong("cached"),
        event.getLong("fragments"),
        event.getLong("suspended"),
        event.getLong("reserved"),
        event.getLong("reservedPeak"),
        event.getLong("allocations"),
        event.getLong("servedFromPool"),
        event.getLong("cacheHits"),
        event.getLong("misses"),
        event.getLong("pagesMoved"),
        event.getLong("outOfMemories"),
        event.getLong("leaks"));
  }

  /** Returns the number of allocations so far. */
  long made() {
    return servedFromPool + misses;
  }
}
