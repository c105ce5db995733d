package org.vramkit.sim;

import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.check.Operation;
import org.vramkit.sim.timeline.Point;
import org.vramkit.sim.timeline.Point.Lane;
import org.vramkit.sim.timeline.Timeline;

/**
 * Queued work that a gate or a fault plan holds, and the host's wait until another thread releases
 * it. Guarded by the backend's lock.
 */
final class HeldWork {
  /** The longest wait that nanoseconds can express. */
  private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE);

  private final LendableLock lock;
  private final Timeline timeline;

  /** The time that a host waits for other threads, in nanoseconds of real time. */
  final long patience;

  private final Condition released;

  /** The gate that holds each point. Points are compared by identity. */
  private final Map<Point, Object> gates = new HashMap<>();

  /** Work that hangs until the plan's hangs are ended, the oldest first. */
  private final Map<Point, Operation> hung = new LinkedHashMap<>();

  private final HostFunctions functions;

  /**
   * The most multiples of the patience that a wait lasts beside threads that run, sleep or poll:
   * such a thread, as of a server, may have no part in the wait.
   */
  static final int MOST_PATIENCES = 10;

  /** Measures the patience. */
  final Stillness stillness;

  HeldWork(LendableLock lock, Timeline timeline, HostFunctions functions, Duration patience) {
    this.lock = lock;
    this.functions = functions;
    this.released = lock.newCondition();
    this.timeline = timeline;
    this.patience = patience.compareTo(LONGEST) > 0 ? LONGEST.toNanos() : patience.toNanos();
    this.stillness = new Stillness(lock, this.patience, functions::threads);
  }

  /** Queues a wait for a gate; returns the new end of the stream. */
  Point hold(Lane lane, Point tail, Object gate) {
    Point point = timeline.submit(lane, tail, 0, null, true);
    gates.put(point, gate);
    return point;
  }

  void hang(Point point, Operation operation) {
    hung.put(point, operation);
  }

  void release(Point point) {
    gates.remove(point);
    timeline.release(point);
    signal();
  }

  /**
   * Wakes waiting threads. Does nothing if the caller has only borrowed the lock: the end of its
   * function wakes them.
   */
  void signal() {
    if (lock.isOwnedByCaller()) {
      released.signalAll();
    }
  }

  void endHangs() {
    List<Point> points = List.copyOf(hung.keySet());
    hung.clear();
    points.forEach(timeline::release);
    signal();
  }

  String holderWords(Point point) {
    Object gate = gates.get(point);
    HostFunction function = functions.at(point);
    if (gate != null) {
      return gate + ", which waits for the host to open it";
    }
    return function == null ? hung.get(point) + ", which hangs" : function.waitingWords();
  }

  String remedy(Point point) {
    return gates.containsKey(point)
        ? "open the gate before waiting, or from another thread"
        : "let no host function wait for a lock or an action of the waiting thread";
  }

  @Nullable Operation hangingAt(Point point) {
    return hung.get(point);
  }

  List<String> words() {
    return Stream.of(
            gates.values().stream()
                .distinct()
                .map(gate -> gate + ", which was never opened")
                .sorted(),
            functions.words().stream(),
            hung.values().stream().map(operation -> operation + ", which hangs"))
        .flatMap(Function.identity())
        .toList();
  }

  /**
   * Waits until a point is reached, while other threads may release the work that holds it. Returns
   * false once the patience is over: once the program has stood still for that time, or has waited
   * for it if a fault plan holds the work, or for {@link #MOST_PATIENCES} times as long. The time
   * in which the awaited function computes or sleeps does not count. As in the driver, an interrupt
   * does not end the wait.
   */
  boolean isReachedInTime(Point point) {
    long begun = System.nanoTime();
    boolean interrupted = false;
    stillness.enter();
    try {
      while (!timeline.reach(point)) {
        if (timeline.proceed()) {
          // Other work continues, and a host function may release the point.
          continue;
        }
        HostFunction function = functions.at(point.holder());
        if (function != null && !functions.isInTheWay(function)) {
          // The time in which a function computes or sleeps does not count.
          begun = System.nanoTime();
          stillness.restart();
        }
        long waited = System.nanoTime() - begun;
        if (waited / MOST_PATIENCES >= patience
            || (hung.containsKey(point.holder()) ? waited : stillness.look()) >= patience) {
          return false;
        }
        try {
          released.awaitNanos(stillness.interval);
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
      return true;
    } finally {
      stillness.leave();
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
