package org.vramkit.sim;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
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
  /**
   * The real time for which a function runs before it is detached, because it may wait for another
   * thread.
   */
  private static final long LENT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** The real time between two attempts to detach a function, which may be inside a call. */
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private static final int SPINS = 1000;

  /**
   * Holds the thread pool, which is created for the first function, because most programs have
   * none.
   */
  private static final class Threads {
    /** The one thread that runs all functions, as in the driver, unless one of them lasts. */
    static final Executor FIRST = pool(1, 1, new LinkedBlockingQueue<>());

    static final Executor OTHERS = pool(0, Integer.MAX_VALUE, new SynchronousQueue<>());

    /** True while the first thread runs a function. */
    static final AtomicBoolean BUSY = new AtomicBoolean();

    private static Executor pool(int least, int most, BlockingQueue<Runnable> queue) {
      return new ThreadPoolExecutor(
          least,
          most,
          1,
          TimeUnit.SECONDS,
          queue,
          work -> new SimulatorThread(work, "vramkit host functions"));
    }

    static void run(HostFunction function, Runnable work) {
      boolean isFree = BUSY.compareAndSet(false, true);
      if (isFree) {
        function.atReturn = () -> BUSY.set(false);
      }
      (isFree ? FIRST : OTHERS).execute(work);
    }
  }

  private final Engine engine;
  private final Stillness stillness;

  /** Functions that have not returned, the oldest first, by the points of their returns. */
  private final Map<Point, HostFunction> open = new LinkedHashMap<>();

  /** The detached function, which keeps others from beginning; null for none. */
  private @Nullable HostFunction detached;

  HostFunctions(Engine engine) {
    this.engine = engine;
    this.stillness = new Stillness(engine);
  }

  /** Queues a function; returns the new end of the stream. */
  Point submit(Lane lane, Point tail, HostFunction function, long nanos) {
    Point returned =
        engine.timeline.submitCall(
            lane, tail, nanos, () -> begin(function), engine.checker.options.enabled());
    function.returned = returned;
    open.put(returned, function);
    stillness.watch();
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
   * the function completes. Of the functions that are next in their streams, begins the first that
   * nothing holds, and no other, because the program may wait for that one alone. Returns whether
   * one began.
   */
  boolean beginOne() {
    Map<StreamClock, HostFunction> next = new LinkedHashMap<>();
    for (HostFunction function : open.values()) {
      if (!function.hasBegun()) {
        next.putIfAbsent(function.point.by().stream, function);
      }
    }
    for (HostFunction function : next.values()) {
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
    Threads.run(function, () -> runLent(function, caller));
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
    long deadline = System.nanoTime() + LENT_NANOS;
    for (int round = 0; !function.isOver(); round++) {
      if (round < SPINS) {
        Thread.onSpinWait();
        continue;
      }
      long left = deadline - System.nanoTime();
      if (left <= 0 && engine.lock.reclaim()) {
        engine.heldWork.signal();
        return !detach(function);
      }
      LockSupport.parkNanos(Math.max(left, RETRY_NANOS));
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
    engine.checker.apiErrors.deadlock(
        waiting + "; no other host function may begin before " + holder.waitingWords(),
        "let no host function wait for one of another stream: the driver may run them one after the"
            + " other");
    return true;
  }

  private boolean haveAllBegun() {
    return open.values().stream().allMatch(HostFunction::hasBegun);
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
      stillness.watch();
    }
  }
}
