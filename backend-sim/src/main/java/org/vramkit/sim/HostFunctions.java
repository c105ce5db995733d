package org.vramkit.sim;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.check.SimulatorThread;
import org.vramkit.sim.check.StreamClock;
import org.vramkit.sim.timeline.Lane;
import org.vramkit.sim.timeline.Point;

/**
 * Runs functions of the host on threads of the simulator's own. Whoever lets one begin stands still
 * until it has returned, and lends it the simulator meanwhile, so that a program with functions is
 * as deterministic as one without. One that waits for what others do goes on alone, and holds its
 * stream until it returns. They run one after the other, as the driver may run them.
 *
 * <p>On every schedule a function begins when something needs it, and never before: a wait, or a
 * program that stands still. So what it completes was waited for, unless it begins in the wait of a
 * pool. Where nothing is judged it begins as other work does. Guarded by the backend's lock.
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

  /** One that goes on by itself and keeps the others from beginning; null for none. */
  private @Nullable HostFunction alone;

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

  /** The one that returns at a point and holds it, or keeps another one from it; null for none. */
  @Nullable HostFunction at(Point holder) {
    HostFunction function = open.get(holder);
    boolean isKept = function == null ? holder == Point.START : !function.hasBegun();
    return isKept && alone != null ? alone : function;
  }

  /** Returns whether a point is not reached before a function has begun that has not. */
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

  /**
   * The program stands still, so one of its threads may wait for what a function completes: lets
   * one begin that nothing holds, of each stream's first the one that was queued last; whether one
   * did.
   */
  boolean beginOne() {
    Map<StreamClock, HostFunction> first = new LinkedHashMap<>();
    for (HostFunction function : open.values()) {
      if (!function.hasBegun()) {
        first.putIfAbsent(function.point.by().stream, function);
      }
    }
    List<HostFunction> latestFirst = new ArrayList<>(first.values());
    Collections.reverse(latestFirst);
    for (HostFunction function : latestFirst) {
      engine.timeline.reach(function.returned);
      if (function.hasBegun()) {
        return true;
      }
    }
    return false;
  }

  private void begin(HostFunction function) {
    function.begin();
    Thread caller = Thread.currentThread();
    function.bystander = engine.checker.isInPool() ? caller : null;
    engine.checker.functionBegins(function.point, function.bystander);
    if (engine.effects.getRunning() != null) {
      // One that is let run by another's code is part of that.
      function.run();
      end(function);
      return;
    }
    THREADS.execute(() -> runLent(function, caller));
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
        return !leaveAlone(function);
      }
    }
    engine.lock.takeBack();
    return true;
  }

  /** The function goes on by itself, unless it is over; no other one begins meanwhile. */
  private boolean leaveAlone(HostFunction function) {
    if (!function.leaveAlone()) {
      return false;
    }
    alone = function;
    engine.timeline.holdCalls(true);
    return true;
  }

  /**
   * Where a function has kept others from beginning for too long, that is reported, because the
   * driver may run them one after the other; then they may begin. False where none does.
   */
  boolean interleave(String waiting) {
    HostFunction holder = alone;
    if (holder == null || open.values().stream().allMatch(HostFunction::hasBegun)) {
      return false;
    }
    alone = null;
    engine.timeline.holdCalls(false);
    engine.checker.misuse.deadlock(
        waiting + "; no other host function may begin before " + holder.waitingWords(),
        "let no host function wait for one of another stream: the driver may run them one after the"
            + " other");
    return true;
  }

  private void end(HostFunction function) {
    if (function == alone) {
      alone = null;
      engine.timeline.holdCalls(false);
    }
    engine.checker.functionEnds(function.point, function.bystander);
    engine.effects.failed(function.thrown);
    open.remove(function.returned);
    engine.heldWork.release(function.returned);
  }
}
