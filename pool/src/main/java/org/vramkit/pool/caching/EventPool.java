package org.vramkit.pool.caching;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.Batch;
import org.vramkit.pool.support.Streams;

/** Events for marks and recorded uses, kept because creating one is a driver call. */
final class EventPool {
  private final Device device;
  private final ConcurrentLinkedDeque<Event> idle = new ConcurrentLinkedDeque<>();

  EventPool(Device device) {
    this.device = device;
  }

  Event take() {
    Event event = idle.pollFirst();
    return event == null ? device.createEvent() : event;
  }

  /**
   * An event that marks the end of a stream's work so far; the caller gives it back.
   *
   * @throws org.vramkit.api.error.ClosedException if the stream is closed
   */
  Event mark(Stream stream) {
    Streams.requireOpen(stream);
    Event event = take();
    try {
      event.record(stream);
    } catch (RuntimeException e) {
      give(event);
      throw e;
    }
    return event;
  }

  void give(Event event) {
    idle.addFirst(event);
  }

  /** Closes all, also where the driver fails to destroy one; throws what it said first. */
  void close() {
    List<Event> all = new ArrayList<>();
    for (@Nullable Event event = idle.pollFirst(); event != null; event = idle.pollFirst()) {
      all.add(event);
    }
    Batch.forEach(all, Event::close);
  }
}
