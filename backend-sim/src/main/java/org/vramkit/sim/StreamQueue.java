package org.vramkit.sim;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.StreamKind;
import org.vramkit.api.error.ClosedException;
import org.vramkit.sim.check.Snapshot;
import org.vramkit.sim.check.StreamClock;
import org.vramkit.sim.driver.DriverFunction;
import org.vramkit.sim.recording.CallNote;
import org.vramkit.sim.timeline.Point;
import org.vramkit.sim.timeline.Timeline.Lane;

/**
 * What a stream has queued. Apart from {@link SimStream}, which is the user's: work goes on when
 * that is closed, and a device that knows only the queue lets it be seen that nobody closed it.
 * Guarded by the backend's lock.
 */
final class StreamQueue {
  private final Engine engine;
  private final String words;
  final int device;
  final long handle;
  final String name;
  private final Consumer<StreamQueue> defaultOrder;
  final StreamKind kind;
  final StreamClock clock;
  final Lane lane;
  final CompletionQueries queries = new CompletionQueries();
  private Point tail;

  /** The capture that takes over what it is given; null if none does. */
  @Nullable Capture capture;

  private volatile boolean closed;

  /** A stream that was given nothing; the default order is made before it is given anything. */
  StreamQueue(
      Engine engine,
      String words,
      int device,
      long handle,
      String name,
      StreamKind kind,
      Consumer<StreamQueue> defaultOrder) {
    this.engine = engine;
    this.words = words;
    this.device = device;
    this.handle = handle;
    this.name = name;
    this.defaultOrder = defaultOrder;
    this.kind = kind;
    this.clock = engine.checker.newStream(words, device);
    this.lane = engine.timeline.newLane();
    this.tail = Point.START;
  }

  Point tail() {
    return tail;
  }

  boolean isOf(Engine other) {
    return engine == other;
  }

  boolean isDefault() {
    return handle == OpenHandles.DEFAULT_STREAM;
  }

  CallNote note(CallNote note) {
    return note.uses(device, handle);
  }

  void requireOpen() {
    if (closed) {
      engine.checker.apiErrors.closedStream(words);
      throw new ClosedException(
          words, "it takes no work any more", "use an open stream, or make a new one");
    }
  }

  /** The legacy default stream and the blocking ones wait for each other. */
  void followDefaultStream() {
    if (kind == StreamKind.BLOCKING) {
      defaultOrder.accept(this);
    }
  }

  void goOnFrom(Point point) {
    tail = point;
    queries.asked = 0;
  }

  void follow(StreamQueue other) {
    tail = engine.timeline.join(lane, tail, other.tail);
    clock.join(other.clock);
  }

  /** Waits on behalf of the driver, which promises nobody that it does. */
  void startAfter(Point point) {
    tail = engine.timeline.join(lane, tail, point);
  }

  void waitUntil(Point point, Snapshot known) {
    tail = engine.timeline.join(lane, tail, point);
    engine.checker.orderAfter(clock, known);
  }

  void finish(DriverFunction call) {
    queued().finish(call);
  }

  /** What is queued by now, which is all that a wait that begins now waits for. */
  Queued queued() {
    return new Queued(this, tail, clock.snapshot());
  }

  /**
   * What a stream had queued at some time. A host that waits for it may have to let other threads
   * in, and what these queue meanwhile is neither waited for nor known to be done.
   */
  record Queued(StreamQueue queue, Point tail, Snapshot known) {
    void finish(DriverFunction call) {
      queue.engine.reach(tail, call, queue);
      queue.engine.checker.hostKnows(known);
      queue.engine.checker.syncs.hostWaited();
    }
  }

  /** Lets the host wait for all of it, unless something holds it. */
  void finishUnlessHeld() {
    if (engine.timeline.reach(tail)) {
      engine.checker.hostKnows(clock.snapshot());
    }
  }

  boolean isClosed() {
    return closed;
  }

  /** Returns whether it is closed and some thread of the host knows all its work to be done. */
  boolean isOver() {
    return closed && engine.timeline.isReached(tail) && engine.checker.isKnown(clock);
  }

  void close() {
    closed = true;
    engine.checker.closed(clock);
  }

  @Override
  public String toString() {
    return words;
  }
}
