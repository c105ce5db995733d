package org.vramkit.pressure;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.Batch;

/**
 * Marks points in the work of streams. Events are kept for later marks, because the driver creates
 * and destroys each by a call. Guarded by its store.
 */
final class Marks implements AutoCloseable {
  /** A point in the work of a stream. Its event is used again once all holders released it. */
  static final class Mark {
    final Stream stream;
    private final Event event;

    /** Marks of one stream are numbered in the order of its work. */
    private final long number;

    private int holders = 1;

    private Mark(Stream stream, Event event, long number) {
      this.stream = stream;
      this.event = event;
      this.number = number;
    }

    /** Adds a holder. */
    Mark share() {
      holders++;
      return this;
    }

    void makeWait(Stream waiting) {
      waiting.waitFor(event);
    }

    void await() {
      event.synchronize();
    }

    boolean isComplete() {
      return event.isComplete();
    }

    /**
     * Returns whether the mark is of a stream, so that its work is ordered before later work of the
     * stream. A closed stream may have the handle of an open one, but its work goes on by itself.
     */
    boolean isOf(Stream other) {
      return stream.equals(other) && !stream.isClosed();
    }

    /** Compares streams by identity: a new stream may have the handle of a closed one. */
    private boolean isUpTo(Mark other) {
      return stream == other.stream && number <= other.number;
    }
  }

  /**
   * The latest of several marks for each stream. If it is complete, so are the others of its
   * stream, which saves a call for each.
   */
  static final class Latest {
    private final List<Mark> marks = new ArrayList<>();

    void add(Mark mark) {
      for (int i = 0; i < marks.size(); i++) {
        Mark known = marks.get(i);
        if (known.stream == mark.stream) {
          marks.set(i, known.isUpTo(mark) ? mark : known);
          return;
        }
      }
      marks.add(mark);
    }

    /** Returns whether there is a mark of a mark's stream. */
    boolean isOf(Mark mark) {
      return marks.stream().anyMatch(each -> each.stream == mark.stream);
    }

    /** Keeps only marks that are complete. */
    void retainComplete() {
      marks.removeIf(each -> !each.isComplete());
    }

    /** Waits for all marks. */
    void await() {
      marks.forEach(Mark::await);
    }

    /** Returns whether a mark is not after the one of its stream. */
    boolean covers(Mark mark) {
      for (int i = 0; i < marks.size(); i++) {
        if (mark.isUpTo(marks.get(i))) {
          return true;
        }
      }
      return false;
    }
  }

  private final Device device;
  private final ArrayDeque<Event> idle = new ArrayDeque<>();
  private long count;

  Marks(Device device) {
    this.device = device;
  }

  /** Marks the work submitted to a stream so far, for one holder. */
  Mark record(Stream stream) {
    @Nullable Event known = idle.poll();
    Event event = known == null ? device.createEvent() : known;
    try {
      event.record(stream);
    } catch (RuntimeException | Error e) {
      idle.push(event);
      throw e;
    }
    return new Mark(stream, event, ++count);
  }

  /** Removes a holder. */
  void release(Mark mark) {
    if (--mark.holders == 0) {
      idle.push(mark.event);
    }
  }

  /** Closes the events that no mark uses. After a failure, another call continues. */
  @Override
  public void close() {
    List<Event> last = List.copyOf(idle);
    idle.clear();
    Batch.forEach(last, Event::close);
  }
}
