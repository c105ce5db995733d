package org.vramkit.tools.top;

import java.time.Instant;
import jdk.jfr.consumer.RecordedEvent;

/** The memory of one stream of an allocator at a moment, in bytes. */
record StreamFigures(
    Instant time, long allocator, String stream, long live, long cached, long fragments) {
  static final String EVENT = "org.vramkit.StreamStatistics";

  static StreamFigures of(RecordedEvent event) {
    return new StreamFigures(
        event.getStartTime(),
        event.getLong("allocator"),
        event.getString("stream"),
        event.getLong("live"),
        event.getLong("cached"),
        event.getLong("fragments"));
  }
}
