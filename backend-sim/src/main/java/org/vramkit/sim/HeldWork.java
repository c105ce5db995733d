package org.vramkit.sim;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.check.Operation;
import org.vramkit.sim.timeline.Lane;
import org.vramkit.sim.timeline.Point;
import org.vramkit.sim.timeline.Timeline;

/**
 * Queued work that a gate or a fault plan holds back, and a host's wait until another thread lets
 * it go. Guarded by the backend's lock.
 */
final class HeldWork {
  /** As long as the JDK's waits can be told to be. */
  private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE);

  private final Timeline timeline;
  private final long patience;

  /** Something was let go. */
  private final Condition released;

  /** Points are compared by identity. */
  private final Map<Point, SimGate> gates = new HashMap<>();

  private final HungWork hung = new HungWork();

  /**
   * None as yet.
   *
   * @param patience how long, in real time, a host waits for other threads to let work go
   */
  HeldWork(ReentrantLock lock, Timeline timeline, Duration patience) {
    this.released = lock.newCondition();
    this.timeline = timeline;
    this.patience = patience.compareTo(LONGEST) > 0 ? LONGEST.toNanos() : patience.toNanos();
  }

  /** Queues nothing but a wait for a gate; the point to go on from. */
  Point hold(Lane lane, Point tail, SimGate gate) {
    Point point = timeline.submit(lane, tail, 0, null, true);
    gates.put(point, gate);
    gate.hold(point);
    return point;
  }

  /** An operation ends at a point that is not reached until hangs are ended. */
  void hang(Point point, Operation operation) {
    hung.add(point, operation);
  }

  /** Lets what a gate held go on. */
  void release(Point point) {
    gates.remove(point);
    timeline.release(point);
    released.signalAll();
  }

  void endHangs() {
    hung.end().forEach(timeline::release);
    released.signalAll();
  }

  /** The gate that holds a point; null if none does. */
  @Nullable SimGate gateAt(Point point) {
    return gates.get(point);
  }

  /** The operation that hangs at a point; null if none does. */
  @Nullable Operation hangingAt(Point point) {
    return hung.at(point);
  }

  /** What holds work back, in words. */
  List<String> words() {
    return Stream.concat(
            gates.values().stream().distinct().map(gate -> gate + ", which nobody opened").sorted(),
            hung.words())
        .toList();
  }

  /**
   * Gives other threads time to let go what a point waits for; whether one did. As in the driver,
   * an interrupt does not end a wait.
   */
  boolean isReachedInTime(Point point) {
    long begun = System.nanoTime();
    boolean interrupted = false;
    try {
      while (!timeline.reach(point)) {
        if (timeline.proceed()) {
          // The devices go on meanwhile, and a host function there may be what lets it go.
          continue;
        }
        long left = patience - (System.nanoTime() - begun);
        if (left <= 0) {
          return false;
        }
        try {
          released.awaitNanos(left);
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
      return true;
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
