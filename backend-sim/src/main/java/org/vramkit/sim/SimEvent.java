package org.vramkit.sim;

import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.DriverStatus;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.sim.check.EventMark;
import org.vramkit.sim.driver.DriverFunction;
import org.vramkit.sim.hazard.LeakKind;
import org.vramkit.sim.recording.CallNote;
import org.vramkit.sim.timeline.Point;

/** An event of a simulated device. */
public final class SimEvent implements Event {
  private final SimDevice device;
  private final Engine engine;
  private final long handle;
  private final CompletionQueries queries = new CompletionQueries();
  private Point mark;

  /** By stream: the number of its frees that come before the last record. */
  private Map<StreamQueue, Long> frees = Map.of();

  /** The stream of the last record outside of a capture; null before. */
  private @Nullable StreamQueue stream;

  private @Nullable EventMark recorded;
  private boolean closed;

  /** The mark of the last record, if that was in a capture. */
  private Capture.@Nullable Mark captured;

  SimEvent(SimDevice device, long handle) {
    this.device = device;
    this.engine = device.core().engine;
    this.handle = handle;
    this.mark = Point.START;
  }

  /** Returns the driver's handle. */
  public long getHandle() {
    return handle;
  }

  /**
   * Returns the virtual time in nanoseconds at which the work before the last record was complete;
   * -1 while it is not. Differences of two events are what {@code cuEventElapsedTime} measures.
   */
  public long getTimeNanos() {
    return engine.recording.unrecorded(
        () -> {
          requireOpen();
          return mark.getEndNanos();
        });
  }

  @Override
  public SimDevice getDevice() {
    return device;
  }

  /** Returns the frees that come before the last record. The caller holds the lock. */
  Map<StreamQueue, Long> frees() {
    return frees;
  }

  /** Returns the point of the last record in its stream. The caller holds the lock. */
  Point mark() {
    return mark;
  }

  /**
   * Returns the mark of the last record; null if the event was never recorded. The caller holds the
   * lock.
   */
  @Nullable EventMark recorded() {
    return recorded;
  }

  /**
   * Returns the mark of the last record if that was in a capture, else null. The caller holds the
   * lock.
   */
  Capture.@Nullable Mark captured() {
    return captured;
  }

  /**
   * Refuses a query or a wait after a record in a capture, where nothing runs. The driver looks at
   * the event before the thread.
   */
  private void requireRunning(DriverFunction function, String wanted) {
    Capture.Mark mark = captured;
    if (mark != null) {
      if (mark.capture().isEnded() || mark.capture().isInvalidated()) {
        throw engine.invalid(function, wanted + this + ", which was recorded in a capture");
      }
      mark.capture().invalidate();
      throw Captures.refusal(DriverStatus.CAPTURED_EVENT, function, wanted + this);
    }
  }

  private CallNote of(CallNote step) {
    return device.core().on(step, handle);
  }

  /** Records an event as an operand of a call, even an event of another simulator. */
  static CallNote note(CallNote step, Event event) {
    return event instanceof SimEvent sim
        ? step.uses(sim.device.getOrdinal(), sim.handle)
        : step.uses(-1, 0);
  }

  void requireOpen() {
    if (closed) {
      engine.checker.apiErrors.closed(toString());
      throw new ClosedException(
          this, "no call can use it any more", "use an open event, or make a new one");
    }
  }

  @Override
  public void record(Stream stream) {
    Objects.requireNonNull(stream, "stream");
    engine.recording.perform(
        "record-event",
        step -> device.core().note(of(step), stream),
        () -> {
          requireOpen();
          if (!(stream instanceof SimStream sim) || sim.getDevice() != device) {
            engine.checker.apiErrors.wrongDevice(
                "record " + this, stream + " belongs to another device");
            throw new InvalidArgumentException(
                this + " cannot mark " + stream + "; use an event of the stream's device");
          }
          StreamQueue queue = sim.queue;
          queue.requireOpen();
          device.core().captures.requireNoneBlocking(queue, DriverFunction.EVENT_RECORD);
          queue.call(DriverFunction.EVENT_RECORD, 0);
          Capture capture = queue.capture;
          if (capture != null) {
            Captures.requireValid(capture, DriverFunction.EVENT_RECORD, sim);
            captured = capture.record(queue);
            return;
          }
          captured = null;
          queue.followDefaultStream();
          mark = queue.tail();
          frees = queue.allFrees();
          this.stream = queue;
          queries.asked = 0;
          engine.checker.follow(queue.clock);
          recorded = engine.checker.syncs.recorded(handle, queue.clock, recorded);
        });
  }

  @Override
  public boolean isComplete() {
    return engine.recording.ask(
        "query-event",
        this::of,
        () -> {
          requireOpen();
          requireRunning(DriverFunction.EVENT_QUERY, "cannot query ");
          engine.call(DriverFunction.EVENT_QUERY, device.getOrdinal(), 0);
          EventMark known = recorded;
          if (known == null) {
            return true;
          }
          boolean complete = queries.ask(engine, mark, known.snapshot());
          if (complete) {
            engine.checker.hostKnows(known.snapshot());
            engine.checker.syncs.hostWaited(known);
          }
          return complete;
        });
  }

  @Override
  public void synchronize() {
    engine.recording.perform(
        "synchronize-event",
        this::of,
        () -> {
          requireOpen();
          requireRunning(DriverFunction.EVENT_SYNCHRONIZE, "cannot wait for ");
          engine.call(DriverFunction.EVENT_SYNCHRONIZE, device.getOrdinal(), 0);
          // The mark at the start of the wait: other threads may record the event meanwhile.
          EventMark known = recorded;
          Map<StreamQueue, Long> before = frees;
          StreamQueue recordedOn = this.stream;
          engine.reach(mark, DriverFunction.EVENT_SYNCHRONIZE, this);
          if (known != null) {
            engine.checker.hostKnows(known.snapshot());
            engine.checker.syncs.hostWaited(known);
          }
          StreamQueue.settle(before);
          if (recordedOn != null) {
            recordedOn.releaseUnused();
          }
          engine.rethrow();
        });
  }

  @Override
  public void close() {
    engine.recording.perform(
        "close-event",
        this::of,
        () -> {
          if (!closed) {
            closed = true;
            engine.releaseHandle(
                LeakKind.EVENT, device.getOrdinal(), handle, DriverFunction.EVENT_DESTROY, 0);
          }
        });
  }

  @Override
  public String toString() {
    return "event 0x" + Long.toHexString(handle) + " of device " + device.getOrdinal();
  }
}
