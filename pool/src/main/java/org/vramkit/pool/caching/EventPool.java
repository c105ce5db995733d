package org.vramkit.pool.caching;

import java.util.concurrent.ConcurrentLinkedDeque;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Event;

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

  void give(Event event) {
    idle.addFirst(event);
  }

  void close() {
    for (@Nullable Event event = idle.pollFirst(); event != null; event = idle.pollFirst()) {
      event.close();
    }
  }
}
