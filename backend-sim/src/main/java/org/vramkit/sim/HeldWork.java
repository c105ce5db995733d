package org.vramkit.sim;

import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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

  /** The gate that holds each point. Points are compared by identity. */
  private final Map<Point, Object> gates = new HashMap<>();

  /** Work that hangs until the plan's hangs are ended, the oldest first. */
  private final Map<Point, Operation> hung = new LinkedHashMap<>();

  private final HostFunctions functions;

  /**
   * The multiple of the patience that a wait lasts if another thread or a host function may end it:
   * one that computes, sleeps or polls, unseen by the simulator.
   */
  static final int PATIENCES = 10;

  HeldWork(LendableLock lock, Timeline timeline, HostFunctions functions, Duration patience) {
    this.lock = lock;
    this.functions = functions;
    this.timeline = timeline;
    this.patience = patience.compareTo(LONGEST) > 0 ? LONGEST.toNanos() : patience.toNanos();
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
      lock.signalAll();
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
   * false once nothing has changed for the patience, if a fault plan holds the work, or for {@link
   * #PATIENCES} times as long. As in the driver, an interrupt does not end the wait.
   */
  boolean isReachedInTime(Point point) {
    Point holder = point.holder();
    long begun = System.nanoTime();
    boolean interrupted = false;
    try {
      while (!timeline.reach(point)) {
        boolean proceeded = timeline.proceed();
        if (proceeded || point.holder() != holder) {
          holder = point.holder();
          begun = System.nanoTime();
        }
        if (proceeded) {
          // Other work continues, and a host function may release the point.
          continue;
        }
        int patiences = hung.containsKey(holder) ? 1 : PATIENCES;
        long waited = System.nanoTime() - begun;
        if (waited / patiences >= patience) {
          return false;
        }
        lock.awaitSignal(nanosLeft(waited, patiences));
        interrupted |= Thread.interrupted();
      }
      return true;
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private long nanosLeft(long waited, int patiences) {
    return patience > Long.MAX_VALUE / patiences ? Long.MAX_VALUE : patience * patiences - waited;
  }
}
