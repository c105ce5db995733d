package org.vramkit.export;

import java.time.Instant;
import java.util.Iterator;
import org.vramkit.pool.caching.AllocatorHistory;
import org.vramkit.pool.caching.AllocatorSnapshot;
import org.vramkit.pool.caching.HistoryEvent;

/**
 * Snapshot and history of one device's allocator.
 *
 * @param device the device's ordinal
 * @param deviceName its maker's name
 * @param deviceBytes its memory in bytes
 * @param snapshot what there is at the end
 * @param history what happened before
 */
record Recording(
    int device,
    String deviceName,
    long deviceBytes,
    AllocatorSnapshot snapshot,
    AllocatorHistory history) {

  /** The latest events as a story that ends with the snapshot. */
  Timeline timeline(long maxEntries) {
    long skipped = Math.max(0, history.getCount() - maxEntries);
    return new Timeline(snapshot, () -> after(skipped));
  }

  private Iterator<HistoryEvent> after(long skipped) {
    Iterator<HistoryEvent> events = history.iterator();
    for (long i = 0; i < skipped && events.hasNext(); i++) {
      events.next();
    }
    return events;
  }

  /** The words for a stream, by its name where it has one and the history knows it. */
  String wordsFor(long stream) {
    String name = history.getStreamName(stream);
    String handle = "0x" + Long.toHexString(stream);
    return stream == 0
        ? "default stream"
        : name.isEmpty() ? "stream " + handle : "stream " + name + " (" + handle + ")";
  }

  /** Microseconds since 1970 at which the history begins. */
  long beginMicros() {
    Instant begin = history.getBegin();
    return begin.getEpochSecond() * 1_000_000 + begin.getNano() / 1000;
  }
}
