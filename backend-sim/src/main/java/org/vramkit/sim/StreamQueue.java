package org.vramkit.sim;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.StreamKind;
import org.vramkit.api.error.ClosedException;
import org.vramkit.sim.check.Snapshot;
import org.vramkit.sim.check.StreamClock;
import org.vramkit.sim.driver.DriverFunction;
import org.vramkit.sim.recording.CallNote;
import org.vramkit.sim.timeline.Point;
import org.vramkit.sim.timeline.Point.Lane;

/**
 * The queued work of a stream. Separate from {@link SimStream}, because work continues after the
 * stream's close, and a device that refers only to the queue lets an unclosed stream be
 * garbage-collected and reported. Guarded by the backend's lock.
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

  /**
   * Holders of memory that the stream has freed and that waits for the host's synchronization; null
   * before the first free.
   */
  private @Nullable Set<Unsettled> unsettled;

  /** Pools of which the stream has allocated or freed memory; null before the first. */
  private @Nullable Set<Unsettled> pools;

  private @Nullable Unsettled lastPool;

  /** The number of frees in the order of the stream. */
  long frees;

  /**
   * By stream: the number of its frees that come before the next work of this one, by events. Empty
   * once the host has synchronized with this stream.
   */
  private Map<StreamQueue, Long> freesBefore = Map.of();

  /** The capture in progress that records its work; null if there is none. */
  @Nullable Capture capture;

  private volatile boolean closed;

  /**
   * Creates an empty queue; {@code defaultOrder} orders a blocking stream before each submission.
   */
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

  /** Makes a driver call that concerns the stream. */
  void call(DriverFunction function, long size) {
    engine.call(function, device, handle, size);
  }

  void callForMemory(DriverFunction function, long size, long free) {
    engine.callForMemory(function, device, handle, size, free);
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

  /**
   * Orders a blocking stream after the legacy default stream, and the default stream after every
   * blocking stream.
   */
  void followDefaultStream() {
    if (kind == StreamKind.BLOCKING) {
      defaultOrder.accept(this);
    }
  }

  /** Sets the new end of the stream. */
  void setTail(Point point) {
    tail = point;
    queries.asked = 0;
  }

  void follow(StreamQueue other) {
    tail = engine.timeline.join(lane, tail, other.tail);
    clock.join(other.clock.snapshot());
    if (!other.isSettled() || !other.freesBefore.isEmpty()) {
      follow(other.allFrees());
    }
  }

  /**
   * Makes the next work start after a point, as the driver does by itself. The checker does not
   * count this order.
   */
  void startAfter(Point point) {
    tail = engine.timeline.join(lane, tail, point);
  }

  void waitUntil(Point point, Snapshot known) {
    startAfter(point);
    engine.checker.orderAfter(clock, known);
  }

  /** Waits for all queued work, and throws what work has thrown. */
  void finish(DriverFunction call) {
    queued().finish(call);
    engine.rethrow();
  }

  /** Returns the work that is queued now, for which a wait that begins now waits. */
  Queued queued() {
    return new Queued(this, tail, clock.snapshot(), frees, freesBefore, engine.timeline.latest());
  }

  /** Notes a free in stream order by memory that settles once the host has synchronized. */
  long freed(Unsettled memory) {
    if (unsettled == null) {
      unsettled = new LinkedHashSet<>();
    }
    unsettled.add(memory);
    return ++frees;
  }

  private boolean isSettled() {
    return unsettled == null || unsettled.isEmpty();
  }

  /** Returns the frees that come before the next work, by stream. */
  Map<StreamQueue, Long> allFrees() {
    if (isSettled()) {
      return freesBefore;
    }
    Map<StreamQueue, Long> all = new HashMap<>(freesBefore);
    all.put(this, frees);
    return all;
  }

  /** Makes the next work come after frees of other streams. */
  void follow(Map<StreamQueue, Long> before) {
    if (!before.isEmpty()) {
      Map<StreamQueue, Long> all = new HashMap<>(freesBefore);
      before.forEach((stream, count) -> all.merge(stream, count, Math::max));
      all.remove(this);
      freesBefore = all;
    }
  }

  /** Settles frees, because the host has synchronized with what comes after them. */
  static void settle(Map<StreamQueue, Long> before) {
    before.forEach(StreamQueue::settle);
  }

  /** Settles all frees of the stream, and those that come before its next work. */
  void settle() {
    settle(frees, freesBefore);
  }

  private void settle(long first, Map<StreamQueue, Long> before) {
    settle(first);
    settle(before);
    if (freesBefore == before) {
      freesBefore = Map.of();
    }
  }

  /** Settles the first frees of the stream, because the host has synchronized with them. */
  void settle(long first) {
    if (unsettled != null) {
      unsettled.removeIf(memory -> !memory.settle(this, first));
    }
  }

  /** Notes that the stream allocates or frees memory of a pool. */
  void uses(Unsettled pool) {
    if (pool != lastPool) {
      lastPool = pool;
      if (pools == null) {
        pools = new LinkedHashSet<>();
      }
      pools.add(pool);
    }
  }

  /** Lets the pools that the stream has used release what exceeds their thresholds. */
  void releaseUnused() {
    if (pools != null && pools.removeIf(pool -> !pool.releaseUnused())) {
      lastPool = null;
    }
  }

  /**
   * The queued work at one time. While the host waits, other threads may queue more work, which is
   * neither waited for nor known to be done.
   */
  record Queued(
      StreamQueue queue,
      Point tail,
      Snapshot known,
      long frees,
      Map<StreamQueue, Long> freesBefore,
      long latest) {
    /** Waits for the work, without throwing what it has thrown. */
    void finish(DriverFunction call) {
      queue.engine.reach(tail, call, queue);
      queue.engine.checker.hostKnows(known);
      queue.engine.checker.syncs.hostWaited();
      settle();
    }

    /** Settles the frees of this work, and those that come before it. */
    void settle() {
      queue.settle(frees, freesBefore);
    }

    /**
     * Waits as the driver does by itself, in a call that need not wait. The program learns nothing
     * from it, except that queries then say that the work is done, unless a pool makes the call.
     */
    void finishByDriver(DriverFunction call) {
      Engine engine = queue.engine;
      engine.reach(tail, call, queue);
      if (!engine.checker.isInPool()) {
        engine.timeline.waited(queue.lane, tail, latest);
      }
    }
  }

  /** Waits for all queued work, unless something holds it. */
  void finishUnlessHeld() {
    if (engine.timeline.reach(tail)) {
      engine.checker.hostKnows(clock.snapshot());
    }
  }

  boolean isClosed() {
    return closed;
  }

  /** Returns whether it is closed and some host thread knows all its work to be done. */
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
