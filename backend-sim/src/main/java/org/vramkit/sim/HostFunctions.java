package org.vramkit.sim;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.thread.SimulatorThread;
import org.vramkit.sim.timeline.Lane;
import org.vramkit.sim.timeline.Point;

/**
 * Runs functions of the host on threads of the simulator's own. Whoever lets one begin stands still
 * until it has returned, and lends it the simulator meanwhile, so that a program with functions is
 * as deterministic as one without. One that waits for what others do goes on alone, and holds its
 * stream until it returns.
 *
 * <p>On every schedule a function begins when something needs it, and never before. So one that has
 * begun was waited for, or the whole program stood still for it, and every thread may rely on what
 * comes before it. Where nothing is judged it begins as other work does. Guarded by the backend's
 * lock.
 */
final class HostFunctions {
  /** How long a function is blocked, in real time, before it goes on alone. */
  private static final long BLOCKED_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  /** How long it runs before it does so: it may wait without being blocked. */
  private static final long RUNNING_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private static final long POLL_NANOS = TimeUnit.MICROSECONDS.toNanos(100);
  private static final int SPINS = 1000;

  private static final Executor THREADS =
      new ThreadPoolExecutor(
          0,
          Integer.MAX_VALUE,
          1,
          TimeUnit.SECONDS,
          new SynchronousQueue<>(),
          work -> new SimulatorThread(work, "vramkit host functions"));

  private final Engine engine;
  private final Standstill standstill;

  /** Those that have not returned, the oldest first, by the points at which they have. */
  private final Map<Point, HostFunction> open = new LinkedHashMap<>();

  HostFunctions(Engine engine) {
    this.engine = engine;
    this.standstill = new Standstill(engine);
  }

  /** Queues a function behind all that a stream has; the point to go on from. */
  Point submit(Lane lane, Point tail, HostFunction function, long nanos) {
    Point returned =
        engine.timeline.submitCall(
            lane, tail, nanos, () -> begin(function), engine.checker.options.enabled());
    function.returned = returned;
    open.put(returned, function);
    standstill.watch();
    return returned;
  }

  /** The one that returns at a point and holds it; null if none does. */
  @Nullable HostFunction at(Point point) {
    return open.get(point);
  }

  /** Whether a point is not reached before a function has begun that has not. */
  boolean isAwaitedAt(Point point) {
    return !open.isEmpty() && engine.checker.options.enabled() && point.needsCall();
  }

  boolean isEmpty() {
    return open.isEmpty();
  }

  /** Those that have begun and not returned, in words. */
  List<String> words() {
    return open.values().stream()
        .filter(HostFunction::hasBegun)
        .map(HostFunction::waitingWords)
        .toList();
  }

  /** Lets the oldest begin that nothing holds, as if somebody waited for it; whether one did. */
  boolean beginOldest() {
    for (Map.Entry<Point, HostFunction> entry : List.copyOf(open.entrySet())) {
      if (!entry.getValue().hasBegun()) {
        engine.timeline.reach(entry.getKey());
        if (entry.getValue().hasBegun()) {
          return true;
        }
      }
    }
    return false;
  }

  private void begin(HostFunction function) {
    function.begin();
    engine.checker.functionBegins(function.point);
    if (engine.effects.getRunning() != null) {
      // One that is let run by another's code is part of that.
      function.run();
      end(function);
      return;
    }
    Thread standing = Thread.currentThread();
    THREADS.execute(() -> runLent(function, standing));
    if (isAwaited(function)) {
      end(function);
    }
  }

  private void runLent(HostFunction function, Thread standing) {
    engine.lock.borrow();
    engine.checker.enter(function.point);
    boolean awaited = engine.effects.during(function.toString(), function::run);
    if (awaited) {
      LockSupport.unpark(standing);
    } else {
      engine.recording.performUnrecorded(() -> end(function));
    }
  }

  /** Stands still until a function is over; false if it goes on alone. */
  private boolean isAwaited(HostFunction function) {
    long begun = System.nanoTime();
    long blockedFrom = 0;
    for (int round = 0; !function.isOver(); round++) {
      if (round < SPINS) {
        Thread.onSpinWait();
        continue;
      }
      LockSupport.parkNanos(POLL_NANOS);
      long now = System.nanoTime();
      blockedFrom = !function.isBlocked() ? 0 : blockedFrom == 0 ? now : blockedFrom;
      boolean blocked = blockedFrom != 0 && now - blockedFrom > BLOCKED_NANOS;
      if ((blocked || now - begun > RUNNING_NANOS) && engine.lock.takeBack()) {
        engine.heldWork.signal();
        return !function.leaveAlone();
      }
    }
    engine.lock.takeBack();
    return true;
  }

  private void end(HostFunction function) {
    engine.checker.functionEnds(function.point);
    engine.effects.failed(function.thrown);
    open.remove(function.returned);
    engine.heldWork.release(function.returned);
  }
}
