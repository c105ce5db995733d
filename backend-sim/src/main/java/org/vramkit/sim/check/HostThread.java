package org.vramkit.sim.check;

import java.lang.ref.WeakReference;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** A thread of the host, held weakly: what it knows to be done, and what it did itself. */
final class HostThread {
  final HostClock known = new HostClock();
  private final Deque<HostClock> heirs = new ArrayDeque<>(0);
  private final String name;
  private final WeakReference<Thread> thread;
  private @Nullable StreamClock own;
  private long joinedVersion;

  HostThread(String name, @Nullable Thread thread) {
    this.name = name;
    this.thread = new WeakReference<>(thread);
  }

  String getName() {
    return name;
  }

  boolean is(Thread other) {
    return thread.refersTo(other);
  }

  boolean isOver() {
    Thread alive = thread.get();
    return alive == null || !alive.isAlive();
  }

  /** Gives the thread a moment to end. */
  void awaitEnd(long millis) {
    Thread alive = thread.get();
    if (alive != null && !alive.equals(Thread.currentThread())) {
      try {
        alive.join(millis);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Learns that work is done. */
  void learn(Snapshot done) {
    known.join(done);
    heirs.forEach(heir -> heir.join(done));
  }

  /** Learns what somebody else knows. */
  void learn(HostClock other) {
    known.join(other);
    heirs.forEach(heir -> heir.join(other));
  }

  /** Did something itself. */
  void did(Operation operation) {
    known.join(operation.stream().getSlot(), operation.epoch());
    heirs.forEach(heir -> heir.join(operation.stream().getSlot(), operation.epoch()));
  }

  /** From now on passes on whatever it learns, at once. */
  void publishTo(HostClock heir) {
    heir.join(known);
    heirs.push(heir);
  }

  /** Ends the {@link #publishTo} that began last. */
  void endPublishing() {
    heirs.pop();
  }

  /** Takes over what belongs to everybody; free when that is what it was. */
  void follow(HostClock everybody) {
    if (joinedVersion != everybody.getVersion()) {
      joinedVersion = everybody.getVersion();
      known.join(everybody);
    }
  }

  /** The clock of what the thread does itself, made when it first does something. */
  StreamClock own(Clocks clocks) {
    StreamClock clock = own;
    if (clock == null) {
      clock = clocks.create("host", Clocks.HOST, known);
      own = clock;
    }
    clock.join(known);
    return clock;
  }

  @Nullable StreamClock getOwn() {
    return own;
  }
}
