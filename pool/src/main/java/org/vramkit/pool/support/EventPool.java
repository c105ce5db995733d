package org.vramkit.pool.support;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.MemoryObserver;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.Batch;
import org.vramkit.api.error.ClosedException;

/**
 * Events for marks and recorded uses, kept because creating one is a driver call. The monitor
 * guards the list and is a leaf. Giving one back needs no memory of the JVM: its place was made
 * when it was created.
 */
public final class EventPool {
  private final Device device;
  private final ArrayList<Event> idle = new ArrayList<>();

  /** All that were created, idle or not. */
  private final List<Created> all = new ArrayList<>();

  /** An event that is on its way, and then there. */
  private static final class Created {
    @Nullable Event event;
  }

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
    Created created = new Created();
    change(() -> all.add(created));
    try {
      // Kept at once: an error of the JVM that comes next does not lose it.
      created.event = device.createEvent();
      change(() -> idle.ensureCapacity(all.size()));
      return Objects.requireNonNull(created.event, "event");
    } finally {
      if (created.event == null) {
        change(() -> all.remove(created));
      }
    }
  }

  private synchronized void change(Runnable change) {
    change.run();
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

  /**
   * Makes one stream wait, on the device, for the work that another one was given so far.
   *
   * @return false if the other one is closed, perhaps just now by another thread: its work goes on,
   *     and takes no mark
   */
  public boolean makeWait(Stream waiting, Stream user) {
    MemoryObserver observer = device.getMemoryObserver();
    observer.enterPool();
    try {
      Event event = take();
      try {
        if (!isMarked(user, event)) {
          return false;
        }
        waiting.waitFor(event);
        return true;
      } finally {
        give(event);
      }
    } finally {
      observer.leavePool();
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

  /** The device of all of them. */
  public Device device() {
    return device;
  }

  public synchronized void give(Event event) {
    idle.add(event);
  }

  /** Closes all, also where the driver fails to destroy one; throws what it said first. */
  public void close() {
    Batch.forEach(
        takeAll(),
        each -> {
          if (each.event != null) {
            each.event.close();
          }
        });
  }

  private synchronized List<Created> takeAll() {
    List<Created> taken = List.copyOf(all);
    all.clear();
    idle.clear();
    return taken;
  }
}
