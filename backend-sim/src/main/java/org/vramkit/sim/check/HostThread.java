package org.vramkit.sim.check;

import java.lang.ref.WeakReference;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.thread.WorkerThreads;

/**
 * A thread of the host, held weakly, or a host function while it runs: what it knows to be done,
 * and what it did itself.
 */
final class HostThread {
  final HostClock known = new HostClock();
  private final Deque<HostClock> targets = new ArrayDeque<>(0);
  final String name;
  private final WeakReference<Thread> thread;

  /** True if it runs tasks of an executor that shows by the class of its threads. */
  final boolean worker;

  /** The host function that it is; null for a thread of the program. */
  final @Nullable Operation function;

  private @Nullable StreamClock own;
  private long joinedVersion;

  /** A thread that knows nothing yet; null stands for the simulator itself. */
  HostThread(String name, @Nullable Thread thread) {
    this.name = name;
    this.thread = new WeakReference<>(thread);
    this.worker = thread != null && WorkerThreads.include(thread);
    this.function = null;
  }

  /** A host function: what it does itself counts as done where it stands in its stream. */
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

  /** Learns something, and passes it on to the hand-overs that it publishes to. */
  void learn(Consumer<HostClock> news) {
    news.accept(known);
    targets.forEach(news);
  }

  /** From now on passes on whatever it learns, at once. */
  void publishTo(HostClock successor) {
    successor.join(known);
    targets.push(successor);
  }

  /** Ends the {@link #publishTo} that began last. */
  void endPublishing() {
    targets.pop();
  }

  /** Takes over what is there for it, always from the same; free when that is what it was. */
  void follow(HostClock source) {
    if (joinedVersion != source.getVersion()) {
      joinedVersion = source.getVersion();
      known.join(source);
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
