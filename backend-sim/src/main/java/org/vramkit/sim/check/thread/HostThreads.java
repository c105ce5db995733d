package org.vramkit.sim.check.thread;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.check.order.Clocks;
import org.vramkit.sim.check.order.HostClock;
import org.vramkit.sim.check.order.Order;
import org.vramkit.sim.check.order.Snapshot;
import org.vramkit.sim.check.order.StreamClock;
import org.vramkit.sim.check.report.Operation;
import org.vramkit.sim.check.report.ThreadsInPools;
import org.vramkit.sim.hazard.Strictness;
import org.vramkit.sim.thread.ExecutorWorkers;
import org.vramkit.sim.thread.SimulatorThread;

/**
 * What each thread of the host knows to be done.
 *
 * <h2>Strict</h2>
 *
 * A thread knows what it has waited for, and what was handed over to it. Its first call takes over
 * what all threads know by then, because its start came after; what a thread knew that is over
 * belongs to everybody, because a thread that relies on it has waited for its end.
 *
 * <p>A worker of an executor is like a thread for each of its tasks: whoever submits one hands over
 * to it, and whoever relies on one has waited for its end. These edges are the executor's and
 * cannot be seen, nor where a task begins. So each call of a worker is taken for the first of a
 * task and for the last: it takes over what all threads know by then, and what it learns belongs to
 * everybody. A race that only a forgotten {@code Future.get} makes is missed; the alternative is to
 * report programs that are right, or now one and now the other, as tasks fall on workers.
 *
 * <h2>Pools</h2>
 *
 * What a pool learns is no thread's: it orders what pools do with memory, and nothing else.
 *
 * <h2>Whoever else waited</h2>
 *
 * What only another thread has waited for is judged if hand-overs have to be told. Otherwise nobody
 * knows whether the two have synchronised by means of Java, and there is no verdict.
 *
 * <h2>Lenient</h2>
 *
 * One clock stands for all threads.
 */
public final class HostThreads {
  private final @Nullable HostThread only;

  /** Whether hand-overs between threads have to be told. */
  public final boolean pedantic;

  private final Clocks clocks;

  /** What any thread knows. */
  public final HostClock all = new HostClock();

  /** What belongs to everybody: all that ended threads knew and workers learnt. */
  private final HostClock everybody = new HostClock();

  /** What pools have learnt besides. */
  private final HostClock pools = new HostClock();

  public final ThreadsInPools poolCalls = new ThreadsInPools();
  private final Map<Thread, HostThread> byThread = new WeakHashMap<>();
  private final ExecutorWorkers workers = new ExecutorWorkers();
  private final List<HostThread> living = new ArrayList<>();

  /** Host functions that run, each as a thread of its own. */
  private final Map<Thread, HostThread> functions = new WeakHashMap<>();

  /** Stands for the simulator itself, where it runs what the program queued. */
  private final HostThread simulator = new HostThread("the simulator", null, false);

  /** The thread of the last call, which mostly is the one of the next. */
  private @Nullable HostThread latest;

  public HostThreads(Strictness strictness, Clocks clocks) {
    this.clocks = clocks;
    this.pedantic = strictness == Strictness.PEDANTIC;
    this.only =
        strictness == Strictness.LENIENT
            ? new HostThread("the host", Thread.currentThread(), false)
            : null;
    if (only != null) {
      living.add(only);
    }
  }

  public HostThread current() {
    Thread caller = Thread.currentThread();
    if (caller instanceof SimulatorThread) {
      return functions.getOrDefault(caller, simulator);
    }
    if (only != null) {
      return only;
    }
    HostThread thread = latest;
    if (thread == null || !thread.is(caller)) {
      thread = byThread.get(caller);
      if (thread == null) {
        thread = arrive(caller);
        byThread.put(caller, thread);
      }
      latest = thread;
    }
    thread.follow(thread.worker ? all : everybody);
    thread.called();
    return thread;
  }

  private HostThread arrive(Thread thread) {
    buryDead();
    HostThread arrived =
        new HostThread("thread " + thread.getName(), thread, workers.isCallerOne());
    arrived.known.join(all);
    living.add(arrived);
    return arrived;
  }

  /** The calling thread has learnt that work is done; inside a pool, only pools have. */
  public void learn(Snapshot done) {
    pools.joinPooled(done);
    if (poolCalls.isInside()) {
      pools.join(done);
      return;
    }
    learn(clock -> clock.join(done));
  }

  /** What a worker learns belongs to everybody. */
  private void learn(Consumer<HostClock> news) {
    HostThread current = current();
    current.learn(news);
    news.accept(all);
    if (current.worker) {
      news.accept(everybody);
    }
  }

  /** What came before a point is done, and every thread may rely on that. */
  public void belongsToAll(Snapshot done) {
    pools.joinPooled(done);
    all.join(done);
    everybody.join(done);
    if (only != null) {
      only.learn(clock -> clock.join(done));
    }
  }

  public void enter(HostThread function) {
    functions.put(Thread.currentThread(), function);
  }

  public void leave(HostThread function) {
    functions.values().remove(function);
  }

  /** The calling thread did something itself, which it knows to be done. */
  public void did(Operation operation) {
    learn(clock -> clock.join(operation.slot(), operation.epoch()));
  }

  public StreamClock own() {
    return current().own(clocks);
  }

  /** All threads may rely on what the calling one knows. */
  public void publishToAll() {
    publish(everybody);
  }

  /** The calling thread leaves what it knows. */
  public void publish(HostClock handOver) {
    handOver.join(current().known);
  }

  public void receive(HostClock handOver) {
    if (poolCalls.isInside()) {
      pools.join(handOver);
      return;
    }
    learn(clock -> clock.join(handOver));
  }

  /** The calling thread passes on whatever it learns from now on, until {@link #endPublishing}. */
  public void publishTo(HostClock handOver) {
    current().publishTo(handOver);
  }

  public void endPublishing() {
    current().endPublishing();
  }

  public Order allAndPools() {
    return Order.either(all, pools);
  }

  /** What any thread knows or, where a pool calls, any pool. */
  public Order allOfCaller() {
    return poolCalls.isInside() ? allAndPools() : all;
  }

  /**
   * What a stream's next operation comes after, or any thread or pool knows. Pools hand memory on
   * under their own locks: what any thread has waited for counts, and the allocation stands for it
   * from then on.
   */
  public Order forPools(StreamClock stream) {
    return Order.either(stream.forPools(), allAndPools());
  }

  /** The same without what only the stream's next operation will follow. */
  public Order forPoolsNow(StreamClock stream) {
    return Order.either(stream.forPoolsNow(), allAndPools());
  }

  /** What a stream comes after without what is known to pools alone, unless one of them calls. */
  public Order forCaller(StreamClock stream) {
    return poolCalls.isInside() ? forPools(stream) : Order.either(stream.next(), all);
  }

  /** What every thread knows: what is submitted from now on comes after it. */
  public Order common() {
    buryDead();
    return (slot, epoch) -> {
      for (HostThread thread : living) {
        // What a worker lacks it takes over when it calls next.
        HostClock known = thread.worker ? all : thread.known;
        if (!known.covers(slot, epoch) && !everybody.covers(slot, epoch)) {
          return false;
        }
      }
      return true;
    };
  }

  /**
   * The other threads that know an operation to be done. No workers: what one learnt belongs to
   * everybody, and what it took over is known to another or belongs to everybody as well.
   */
  public Witnesses witnesses(Operation operation) {
    HostThread current = current();
    return new Witnesses(
        living.stream()
            .filter(thread -> !thread.equals(current) && !thread.worker)
            .filter(thread -> thread.known.covers(operation))
            .toList());
  }

  /** What threads knew that are over belongs to everybody. */
  public void buryDead() {
    for (Iterator<HostThread> it = living.iterator(); it.hasNext(); ) {
      HostThread thread = it.next();
      if (!thread.equals(only) && thread.isOver()) {
        it.remove();
        everybody.join(thread.known);
        StreamClock own = thread.getOwn();
        if (own != null) {
          clocks.retire(own);
        }
      }
    }
  }
}
