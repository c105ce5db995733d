package org.vramkit.export;

import java.time.Instant;
import java.util.Iterator;
import org.vramkit.pool.caching.AllocatorHistory;
import org.vramkit.pool.caching.AllocatorSnapshot;
import org.vramkit.pool.caching.HistoryEvent;

/**
 * The snapshot and history of one device's allocator.
 *
 * @param device the device's ordinal
 * @param deviceName the device's product name
 * @param deviceBytes the device's memory in bytes
 * @param snapshot the final state
 * @param history the events that lead to it
 */
record Recording(
    int device,
    String deviceName,
    long deviceBytes,
    AllocatorSnapshot snapshot,
    AllocatorHistory history) {

  /** Returns a consistent timeline of the latest events, which ends with the snapshot. */
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

  /** Returns the label of a stream: its handle, with its name if the history contains one. */
  String labelOf(long stream) {
    String name = history.getStreamName(stream);
    String handle = "0x" + Long.toHexString(stream);
    return stream == 0
        ? "default stream"
        : name.isEmpty() ? "stream " + handle : "stream " + name + " (" + handle + ")";
  }

  /** Returns the start of the history in microseconds since 1970. */
  long beginMicros() {
    Instant begin = history.getBegin();
    return begin.getEpochSecond() * 1_000_000 + begin.getNano() / 1000;
  }
}
