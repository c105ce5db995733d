package org.vramkit.pool.caching.internal.stream;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.MemoryObserver;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.Batch;
import org.vramkit.pool.support.Streams;

/**
 * Events for marks and recorded uses, kept because creating one is a driver call. The monitor
 * guards the list and is a leaf. Giving one back needs no memory of the JVM: its place was made
 * when it was created.
 */
public final class EventPool {
  private final Device device;
  private final ArrayList<Event> idle = new ArrayList<>();
  private int created;

  public EventPool(Device device) {
    this.device = device;
  }

  public Event take() {
    Event event = newest();
    return event == null ? create() : event;
  }

  private synchronized @Nullable Event newest() {
    return idle.isEmpty() ? null : idle.remove(idle.size() - 1);
  }

  private Event create() {
    makePlace();
    try {
      return device.createEvent();
    } catch (RuntimeException | Error e) {
      unmakePlace();
      throw e;
    }
  }

  private synchronized void makePlace() {
    idle.ensureCapacity(created + 1);
    created++;
  }

  private synchronized void unmakePlace() {
    created--;
  }

  /**
   * An event that marks the end of a stream's work so far; the caller gives it back.
   *
   * @throws org.vramkit.api.error.ClosedException if the stream is closed
   */
  public Event mark(Stream stream) {
    Streams.requireOpen(stream);
    Event event = take();
    MemoryObserver observer = device.getMemoryObserver();
    observer.enterPool();
    try {
      event.record(stream);
    } catch (RuntimeException | Error e) {
      give(event);
      throw e;
    } finally {
      observer.leavePool();
    }
    return event;
  }

  /** The device of all of them. */
  public Device device() {
    return device;
  }

  public synchronized void give(Event event) {
    idle.add(event);
  }

  /** Closes all, also where the driver fails to destroy one; throws what it said first. */
  public void close() {
    Batch.forEach(takeAll(), Event::close);
  }

  private synchronized List<Event> takeAll() {
    List<Event> all = List.copyOf(idle);
    created -= all.size();
    idle.clear();
    return all;
  }
}
