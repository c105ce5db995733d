package org.vramkit.sim;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.check.SimulatorThread;
import org.vramkit.sim.check.StreamClock;
import org.vramkit.sim.timeline.Point;
import org.vramkit.sim.timeline.Point.Lane;

/**
 * Runs host functions on threads of the simulator. The thread that lets a function begin waits
 * until it returns, and lends it the lock meanwhile, so that programs with functions stay
 * deterministic. A function that waits for other threads is detached, and holds its stream until it
 * returns. Functions run one after the other, as the driver may run them.
 *
 * <p>On every schedule a function begins only when something needs it: a wait, or a program that
 * stands still. So the program has waited for its results, unless it begins in the wait of a pool.
 * If the checker is off, a function begins like other work. Guarded by the backend's lock.
 */
final class HostFunctions {
  /** The real time for which a function is blocked before it is detached. */
  private static final long BLOCKED_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  /**
   * The real time for which a function runs before it is detached, because it may poll for another
   * thread without being blocked.
   */
  private static final long RUNNING_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private static final long POLL_NANOS = TimeUnit.MICROSECONDS.toNanos(100);
  private static final int SPINS = 1000;

  /**
   * Holds the thread pool, which is created for the first function, because most programs have
   * none.
   */
  private static final class Threads {
    static final Executor POOL =
        new ThreadPoolExecutor(
            0,
            Integer.MAX_VALUE,
            1,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            work -> new SimulatorThread(work, "vramkit host functions"));
  }

  private final Engine engine;
  private final Standstill standstill;

  /** Functions that have not returned, the oldest first, by the points of their returns. */
  private final Map<Point, HostFunction> open = new LinkedHashMap<>();

  /** The detached function, which keeps others from beginning; null for none. */
  private @Nullable HostFunction detached;

  HostFunctions(Engine engine) {
    this.engine = engine;
    this.standstill = new Standstill(engine);
  }

  /** Queues a function; returns the new end of the stream. */
  Point submit(Lane lane, Point tail, HostFunction function, long nanos) {
    Point returned =
        engine.timeline.submitCall(
            lane, tail, nanos, () -> begin(function), engine.checker.options.enabled());
    function.returned = returned;
    open.put(returned, function);
    standstill.watch();
    return returned;
  }

  /**
   * Returns the function that holds a point, or the detached one if that keeps the holding function
   * from beginning; null if there is none.
   */
  @Nullable HostFunction at(Point holder) {
    HostFunction function = open.get(holder);
    boolean isKept = function == null ? holder == Point.START : !function.hasBegun();
    return isKept && detached != null ? detached : function;
  }

  /** Returns whether a point needs a function that has not begun. */
  boolean isAwaitedAt(Point point) {
    return !open.isEmpty() && engine.checker.options.enabled() && point.needsCall();
  }

  boolean isEmpty() {
    return open.isEmpty();
  }

  /** Describes the running functions. */
  List<String> words() {
    return open.values().stream()
        .filter(HostFunction::hasBegun)
        .map(HostFunction::waitingWords)
        .toList();
  }

  /**
   * Begins a function when the program stands still, because a thread may wait for something that
   * the function completes. Of the functions that are next in their streams, begins the latest that
   * nothing holds. Returns whether one began.
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
    function.poolWaiter = engine.checker.isInPool() ? caller : null;
    engine.checker.functionBegins(function.point, function.poolWaiter);
    if (engine.isWorkRunning()) {
      // The code of another function lets this one begin, and runs it as a part of its own.
      function.run();
      end(function);
      return;
    }
    Threads.POOL.execute(() -> runLent(function, caller));
    if (isAwaited(function)) {
      end(function);
    }
  }

  private void runLent(HostFunction function, Thread waiter) {
    engine.lock.borrow();
    engine.checker.enter(function.point);
    boolean awaited = engine.during(function.toString(), function::run);
    if (awaited) {
      LockSupport.unpark(waiter);
    } else {
      engine.recording.performUnrecorded(() -> end(function));
    }
  }

  /** Waits until a function is over; returns false if it was detached. */
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
      if ((blocked || now - begun > RUNNING_NANOS) && engine.lock.reclaim()) {
        engine.heldWork.signal();
        return !detach(function);
      }
    }
    engine.lock.reclaim();
    return true;
  }

  /** Detaches a function, unless it is over; no other one begins meanwhile. */
  private boolean detach(HostFunction function) {
    if (!function.detach()) {
      return false;
    }
    detached = function;
    engine.timeline.holdCalls(true);
    return true;
  }

  /**
   * Reports a function that keeps others from beginning for too long, because the driver may run
   * them one after the other, and lets the others begin. Returns false if there is none.
   */
  boolean interleave(String waiting) {
    HostFunction holder = detached;
    if (holder == null || haveAllBegun()) {
      return false;
    }
    detached = null;
    engine.timeline.holdCalls(false);
    engine.heldWork.stillness.restart();
    engine.checker.apiErrors.deadlock(
        waiting + "; no other host function may begin before " + holder.waitingWords(),
        "let no host function wait for one of another stream: the driver may run them one after the"
            + " other");
    return true;
  }

  private boolean haveAllBegun() {
    return open.values().stream().allMatch(HostFunction::hasBegun);
  }

  /**
   * Returns whether a function waits for other threads and holds work meanwhile. A wait with a
   * timeout ends by itself, so it counts only while it keeps other functions from beginning.
   */
  boolean isInTheWay(HostFunction function) {
    return function.isBlocked()
        && (!function.isTimed() || (function == detached && !haveAllBegun()));
  }

  /** Returns the threads of the running functions. */
  List<Thread> threads() {
    return open.values().stream().map(HostFunction::thread).filter(Objects::nonNull).toList();
  }

  private void end(HostFunction function) {
    if (function == detached) {
      detached = null;
      engine.timeline.holdCalls(false);
    }
    engine.checker.functionEnds(function.point, function.poolWaiter);
    engine.failed(function.thrown);
    open.remove(function.returned);
    engine.heldWork.release(function.returned);
    if (!open.isEmpty()) {
      standstill.watch();
    }
  }
}
