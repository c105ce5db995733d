package org.vramkit.tools.top;

import java.time.Instant;
import jdk.jfr.consumer.RecordedEvent;

/** The memory of one tag of an allocator at a moment, in bytes. */
record TagFigures(Instant time, long allocator, String tag, long live, long peak, long made) {
  static final String EVENT = "org.vramkit.TagStatistics";

  static TagFigures of(RecordedEvent event) {
    return new TagFigures(
        event.getStartTime(),
        event.getLong("allocator"),
        event.getString("tag"),
        event.getLong("live"),
        event.getLong("peak"),
        event.getLong("allocations"));
  }
}
