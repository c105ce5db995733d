package org.vramkit.sim.check;

import java.lang.ref.WeakReference;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.thread.WorkerThreads;

/**
 * The checker's view of a host thread, or of a host function while it runs: the work that it knows
 * to be done, and the clock of its own accesses. Does not keep the Java thread reachable.
 */
final class HostThread {
  final HostClock known = new HostClock();

  /** The hand-offs that this thread publishes to, the latest first. */
  private final Deque<HostClock> targets = new ArrayDeque<>(0);

  final String name;
  private final WeakReference<Thread> thread;

  /** True for a worker thread of an executor, which is recognized by its class. */
  final boolean worker;

  /** The host function; null for a thread of the program. */
  final @Nullable Operation function;

  private @Nullable StreamClock own;
  private Epochs joined = Epochs.NONE;

  /**
   * Creates a thread without knowledge; {@code thread} is null if this stands for the simulator or
   * for all threads.
   */
  HostThread(String name, @Nullable Thread thread) {
    this.name = name;
    this.thread = new WeakReference<>(thread);
    this.worker = thread != null && WorkerThreads.include(thread);
    this.function = null;
  }

  /**
   * Creates the thread of a host function, whose accesses count as done at its position in the
   * stream.
   */
  HostThread(Operation function) {
    this.name = function.name;
    this.thread = new WeakReference<>(null);
    this.worker = false;
    this.function = function;
    this.own = function.stream;
  }

  boolean is(Thread other) {
    return thread.refersTo(other);
  }

  boolean isOver() {
    Thread alive = thread.get();
    return alive == null || !alive.isAlive();
  }

  /** Adds knowledge, also to the hand-offs that this thread publishes to. */
  void learn(Consumer<HostClock> news) {
    news.accept(known);
    targets.forEach(news);
  }

  /** Publishes to a hand-off from now on, whenever this thread learns something. */
  void publishTo(HostClock successor) {
    successor.join(known);
    targets.push(successor);
  }

  /** Ends the {@link #publishTo} that began last. */
  void endPublishing() {
    targets.pop();
  }

  /** Joins a clock, which must be the same in each call; does nothing if it has not grown since. */
  void follow(HostClock source) {
    if (joined != source.known) {
      joined = source.known;
      known.join(source);
    }
  }

  /** Returns the clock of this thread's own accesses, created at the first one. */
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
