package org.vramkit.pool.support;

import java.util.concurrent.atomic.AtomicInteger;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.Batch;

/**
 * How far a stream had been submitted at one moment, told by an event of the driver. Its owner
 * alone closes it; other threads may ask meanwhile, and the event ends with whoever leaves last.
 *
 * <p>State: twice the number of those who ask, plus 1 once closed. Lock-free.
 */
final class Mark {
  private static final int CLOSED = 1;
  private static final int ASKING = 2;

  private final Stream stream;
  private final Event event;
  private final AtomicInteger state = new AtomicInteger();

  private Mark(Stream stream, Event event) {
    this.stream = stream;
    this.event = event;
  }

  /**
   * Marks how far a stream has been submitted by now.
   *
   * @throws org.vramkit.api.error.ClosedException if the stream is closed, or its backend
   */
  static Mark of(Stream stream) {
    Event event = stream.getDevice().createEvent();
    try {
      OwnCalls.make(stream.getDevice(), () -> event.record(stream));
      return new Mark(stream, event);
    } catch (RuntimeException | Error e) {
      Batch.after(e, event::close);
      throw e;
    }
  }

  Stream stream() {
    return stream;
  }

  /**
   * Whether the stream has passed; asks the driver without blocking. So it has once the mark is
   * closed, whose owner knew.
   */
  boolean isPassed() {
    if (!tryEnter()) {
      return true;
    }
    try {
      return Waits.isOver(event, stream.getDevice());
    } finally {
      leave();
    }
  }

  /** Waits on the host until the stream has passed. */
  void await() {
    if (tryEnter()) {
      try {
        Waits.await(event, stream.getDevice());
      } finally {
        leave();
      }
    }
  }

  /** Makes another stream wait for the mark, which its owner has not closed. */
  void orderBefore(Stream next) {
    OwnCalls.make(next.getDevice(), () -> next.waitFor(event));
  }

  /** Gives the event back; waits issued on it stay valid. Harmless when repeated. */
  void close() {
    int seen;
    do {
      seen = state.get();
      if ((seen & CLOSED) != 0) {
        return;
      }
    } while (!state.compareAndSet(seen, seen + CLOSED));
    if (seen == 0) {
      event.close();
    }
  }

  private boolean tryEnter() {
    int seen;
    do {
      seen = state.get();
      if ((seen & CLOSED) != 0) {
        return false;
      }
    } while (!state.compareAndSet(seen, seen + ASKING));
    return true;
  }

  private void leave() {
    if (state.addAndGet(-ASKING) == CLOSED) {
      event.close();
    }
  }
}
