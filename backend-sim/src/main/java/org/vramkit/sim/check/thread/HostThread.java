package org.vramkit.sim.check.thread;

import java.lang.ref.WeakReference;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.AbstractOwnableSynchronizer;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.check.order.Clocks;
import org.vramkit.sim.check.order.HostClock;
import org.vramkit.sim.check.order.StreamClock;
import org.vramkit.sim.check.report.Operation;

/** A thread of the host, held weakly: what it knows to be done, and what it did itself. */
public final class HostThread {
  public final HostClock known = new HostClock();
  private final Deque<HostClock> heirs = new ArrayDeque<>(0);
  public final String name;
  public final boolean worker;
  private final WeakReference<Thread> thread;

  /** The host function that it is; null for a thread of the program. */
  public final @Nullable Operation function;

  private @Nullable StreamClock own;
  private long joinedVersion;
  private long calls;

  /** Knows nothing; a worker runs tasks of an executor. */
  public HostThread(String name, @Nullable Thread thread, boolean worker) {
    this.name = name;
    this.worker = worker;
    this.thread = new WeakReference<>(thread);
    this.function = null;
  }

  /** A host function: what it does itself counts as done where it stands in its stream. */
  public HostThread(Operation function) {
    this.name = function.name;
    this.worker = false;
    this.thread = new WeakReference<>(null);
    this.function = function;
    this.own = function.stream;
  }

  public boolean is(Thread other) {
    return thread.refersTo(other);
  }

  public boolean isOver() {
    Thread alive = thread.get();
    return alive == null || !alive.isAlive();
  }

  public @Nullable Thread getThread() {
    return thread.get();
  }

  /**
   * Whether a thread waits for something to happen, and so is not about to end. One that waits for
   * a lock may be: the threads of an executor take one on their way out.
   */
  public static boolean isParked(Thread alive) {
    Thread.State state = alive.getState();
    return (state == Thread.State.WAITING || state == Thread.State.TIMED_WAITING)
        && !(LockSupport.getBlocker(alive) instanceof AbstractOwnableSynchronizer);
  }

  public void called() {
    calls++;
  }

  public long getCalls() {
    return calls;
  }

  /** Learns something, and passes it on where it does. */
  public void learn(Consumer<HostClock> news) {
    news.accept(known);
    heirs.forEach(news);
  }

  /** From now on passes on whatever it learns, at once. */
  public void publishTo(HostClock heir) {
    heir.join(known);
    heirs.push(heir);
  }

  /** Ends the {@link #publishTo} that began last. */
  public void endPublishing() {
    heirs.pop();
  }

  /** Takes over what is there for it, always from the same; free when that is what it was. */
  public void follow(HostClock source) {
    if (joinedVersion != source.getVersion()) {
      joinedVersion = source.getVersion();
      known.join(source);
    }
  }

  /** The clock of what the thread does itself, made when it first does something. */
  public StreamClock own(Clocks clocks) {
    StreamClock clock = own;
    if (clock == null) {
      clock = clocks.create("host", Clocks.HOST, known);
      own = clock;
    }
    clock.join(known);
    return clock;
  }

  public @Nullable StreamClock getOwn() {
    return own;
  }
}
