package org.vramkit.pool.support;

import java.util.ArrayList;
import java.util.List;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.Batch;
import org.vramkit.api.error.ClosedException;

/**
 * A pool of driver events, because creating one is a driver call. The monitor guards the lists; no
 * other lock of a pool is acquired under it.
 */
public final class EventPool {
  private final Device device;
  private final ArrayList<Event> idle = new ArrayList<>();

  private final List<Event> all = new ArrayList<>();

  public EventPool(Device device) {
    this.device = device;
  }

  public synchronized Event acquire() {
    return idle.isEmpty() ? create() : idle.remove(idle.size() - 1);
  }

  private Event create() {
    Event event = device.createEvent();
    all.add(event);
    return event;
  }

  /**
   * Records an event after the work submitted to a stream so far. The caller releases it.
   *
   * @throws org.vramkit.api.error.ClosedException if the stream is closed
   */
  public Event mark(Stream stream) {
    Streams.requireOpen(stream);
    Event event = acquire();
    try {
      PoolDriverCalls.make(device, () -> event.record(stream));
    } catch (RuntimeException | Error e) {
      release(event);
      throw e;
    }
    return event;
  }

  /**
   * Does the same as {@link #order}, but hides the wait from a backend that checks order: the
   * program must not rely on it.
   */
  public boolean makeWait(Stream waiting, Stream user) {
    return PoolDriverCalls.get(device.getMemoryObserver(), () -> order(waiting, user));
  }

  /**
   * Makes a stream wait, on the device, for the work submitted to another stream so far.
   *
   * @return false if the other stream is closed, possibly just now by another thread: its work goes
   *     on, but no event can be recorded
   */
  public boolean order(Stream waiting, Stream user) {
    Event event = acquire();
    try {
      if (!isMarked(user, event)) {
        return false;
      }
      waiting.waitFor(event);
      return true;
    } finally {
      release(event);
    }
  }

  private static boolean isMarked(Stream stream, Event event) {
    try {
      Streams.requireOpen(stream);
      event.record(stream);
      return true;
    } catch (ClosedException e) {
      return false;
    }
  }

  public synchronized void release(Event event) {
    idle.add(event);
  }

  /** Closes all events, even if the driver fails to destroy some; throws the first failure. */
  public void close() {
    Batch.forEach(takeAll(), Event::close);
  }

  private synchronized List<Event> takeAll() {
    List<Event> taken = List.copyOf(all);
    all.clear();
    idle.clear();
    return taken;
  }
}
