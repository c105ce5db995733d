package org.vramkit.sim.check;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.hazard.Strictness;

/**
 * Tracks which work host threads know to be done.
 *
 * <h2>One clock by default</h2>
 *
 * Threads synchronize by means of Java, which the simulator cannot see. By default, the wait of one
 * thread therefore counts for all threads, and a race that the wait of any thread rules out is not
 * reported.
 *
 * <h2>A clock for each thread</h2>
 *
 * With {@link Strictness#PEDANTIC} a thread knows the work for which it waited, and receives
 * further knowledge in three ways: by a {@code HandOff}; by its start, when it joins the knowledge
 * of all threads; and by the end of another thread, whose knowledge then belongs to all threads.
 * The simulator cannot see where a task of a fork-join pool or a coroutine dispatcher begins and
 * ends, but it recognizes their threads. Each call of a recognized thread counts as a task of its
 * own: it joins what all threads know, and publishes what it learns.
 *
 * <h2>Host functions</h2>
 *
 * A function knows the work before it in its stream. If it begins because a thread waits for it, or
 * for anything that it may complete, all threads learn that this work is done. If it begins because
 * a pool waits, the thread in the pool does not learn it, because it has not waited for the
 * function. The other threads may have waited for it, unseen by the simulator, so they learn it.
 *
 * <h2>Pools</h2>
 *
 * Knowledge of a pool orders what pools do with memory, and nothing that the program does. Work of
 * a pool itself, such as a copy to a backup, counts as done for all once a pool has waited for it.
 */
public final class HostThreads {
  private final Clocks clocks;

  /** Stands for all threads; null if each has its own clock. */
  private final @Nullable HostThread shared;

  /** Union of the knowledge of all threads. */
  final HostClock all;

  /**
   * Knowledge that every thread may rely on: that of ended threads, and all that was published to
   * all.
   */
  private final HostClock knownToAll = new HostClock();

  /** The latest wait of a pool in which host functions began; null once all threads know them. */
  private @Nullable PoolWait poolWait;

  /** Knowledge that was gained inside pools. */
  private final HostClock pools = new HostClock();

  /**
   * Nesting depth of pool calls by thread. Entries are not removed at depth 0, because each call of
   * a pool would create them again.
   */
  private final ThreadLocal<int[]> poolDepth = ThreadLocal.withInitial(() -> new int[1]);

  private final Map<Thread, HostThread> byThread = new WeakHashMap<>();
  private final List<HostThread> living = new ArrayList<>();

  /** True if an ended thread was joined since {@link #hasJoinedEndedThreads}. */
  private boolean joinedEnded;

  /** Running host functions, by their threads. */
  private final Map<Thread, HostThread> functions = new WeakHashMap<>();

  /** Stands for the simulator when it runs queued work. */
  private final HostThread simulator = new HostThread("the simulator", null);

  /** The thread of the latest call, which usually makes the next one too. */
  private @Nullable HostThread latest;

  /** A thread in a pool's wait, and the knowledge of the host functions that began in it. */
  private record PoolWait(WeakReference<Thread> thread, HostClock learned) {}

  HostThreads(Strictness strictness, Clocks clocks) {
    this.clocks = clocks;
    this.shared = strictness == Strictness.PEDANTIC ? null : new HostThread("the host", null);
    this.all = shared == null ? new HostClock() : shared.known;
  }

  HostThread current() {
    Thread caller = Thread.currentThread();
    if (caller instanceof SimulatorThread) {
      return functions.getOrDefault(caller, simulator);
    }
    if (shared != null) {
      endPoolWaitOfOthers(shared, caller);
      return shared;
    }
    HostThread thread = latest;
    if (thread == null || !thread.is(caller)) {
      thread = byThread.computeIfAbsent(caller, this::register);
      latest = thread;
    }
    thread.follow(thread.worker ? all : knownToAll);
    return thread;
  }

  private HostThread register(Thread thread) {
    joinEndedThreads();
    HostThread registered = new HostThread("thread " + thread.getName(), thread);
    registered.known.join(all);
    living.add(registered);
    return registered;
  }

  // ---- pools ----

  public void enterPool() {
    poolDepth.get()[0]++;
  }

  public void leavePool() {
    int[] depth = poolDepth.get();
    depth[0] = Math.max(0, depth[0] - 1);
  }

  /** Returns whether the calling thread is inside a pool. */
  boolean isInPool() {
    return poolDepth.get()[0] > 0;
  }

  // ---- learning ----

  /** Records that the calling thread knows work to be done; inside a pool, only pools learn. */
  void learn(Snapshot done) {
    pools.joinPooled(done);
    if (isInPool()) {
      pools.join(done);
    } else {
      learn(clock -> clock.join(done));
    }
  }

  private void learn(Consumer<HostClock> news) {
    HostThread current = current();
    current.learn(news);
    if (current != shared) {
      news.accept(all);
    }
    if (current.worker) {
      news.accept(knownToAll);
    }
  }

  /** Records that the calling thread knows an operation to be done. */
  void did(Operation operation) {
    learn(clock -> clock.join(operation.slot(), operation.epoch()));
  }

  StreamClock own() {
    return current().own(clocks);
  }

  /** Publishes the calling thread's knowledge to all threads. */
  public void publishToAll() {
    publish(knownToAll);
  }

  /** Publishes the calling thread's knowledge to a hand-off. */
  public void publish(HostClock handOver) {
    handOver.join(current().known);
  }

  public void receive(HostClock handOver) {
    if (isInPool()) {
      pools.join(handOver);
    } else {
      learn(clock -> clock.join(handOver));
    }
  }

  /** Publishes all that the calling thread learns, until {@link #endPublishing}. */
  public void publishTo(HostClock handOver) {
    HostThread current = current();
    if (current == shared) {
      publish(handOver);
    } else {
      current.publishTo(handOver);
    }
  }

  public void endPublishing() {
    HostThread current = current();
    if (current != shared) {
      current.endPublishing();
    }
  }

  // ---- host functions ----

  /** Records the begin of a function, from which threads learn that the work before it is done. */
  void begins(Snapshot before, @Nullable Thread poolWaiter) {
    pools.joinPooled(before);
    publishToOthers(clock -> clock.join(before), poolWaiter);
  }

  /**
   * Publishes the begin or end of a function to all threads except {@code poolWaiter}, the thread
   * whose wait inside a pool let the function run; to all if that is null.
   */
  void publishToOthers(Consumer<HostClock> news, @Nullable Thread poolWaiter) {
    if (poolWaiter == null) {
      news.accept(knownToAll);
      news.accept(all);
    } else if (shared == null) {
      living.stream()
          .filter(thread -> !thread.is(poolWaiter))
          .forEach(thread -> thread.learn(news));
      news.accept(all);
    } else {
      endPoolWaitOfOthers(shared, poolWaiter);
      if (poolWait == null) {
        poolWait = new PoolWait(new WeakReference<>(poolWaiter), new HostClock());
      }
      news.accept(poolWait.learned);
    }
  }

  /**
   * Adds the knowledge of the latest pool wait to all threads, if {@code caller} may have waited
   * for the same functions.
   */
  private void endPoolWaitOfOthers(HostThread everyThread, Thread caller) {
    PoolWait wait = poolWait;
    if (wait != null && !wait.thread.refersTo(caller)) {
      everyThread.known.join(wait.learned);
      poolWait = null;
    }
  }

  void enter(HostThread function) {
    functions.put(Thread.currentThread(), function);
  }

  void leave(HostThread function) {
    functions.values().remove(function);
  }

  // ---- what is known ----

  Order allAndPools() {
    return Order.either(all, pools);
  }

  /** Returns the knowledge of any thread; inside a pool, also that of pools. */
  Order allOfCaller() {
    return isInPool() ? allAndPools() : all;
  }

  /**
   * Returns the order on which a pool may rely: what the stream's next operation comes after, and
   * what any thread or pool knows. A wait of any thread counts, because pools pass memory between
   * threads under their own locks.
   */
  Order forPools(StreamClock stream) {
    return Order.either(stream.forPools(), allAndPools());
  }

  /** Returns whether this is work of a pool itself, which a pool knows to be done. */
  boolean isDoneByPool(Operation operation) {
    return operation.isByPool() && operation.isBefore(allAndPools());
  }

  /**
   * Returns whether pools order an operation before a later one: their own work, for which they
   * have waited, before everything; and what they wait for before their own work.
   */
  boolean isOrderedByPools(Operation earlier, Operation later) {
    return isDoneByPool(earlier) || (later.isByPool() && earlier.isBefore(forPools(later.stream)));
  }

  /** Like {@link #forPools}, without the streams that this one follows because of its kind. */
  Order forPoolsNow(StreamClock stream) {
    return Order.either(stream.forPoolsNow(), allAndPools());
  }

  /**
   * Returns what a stream's next operation comes after; the knowledge of pools counts only inside a
   * pool.
   */
  Order forCaller(StreamClock stream) {
    return isInPool() ? forPools(stream) : Order.either(stream.next(), all);
  }

  /** Returns what every thread knows. Everything submitted from now on comes after it. */
  Order common() {
    if (shared != null) {
      return shared.known;
    }
    joinEndedThreads();
    return (slot, epoch) ->
        knownToAll.covers(slot, epoch)
            || living.stream()
                .allMatch(thread -> (thread.worker ? all : thread.known).covers(slot, epoch));
  }

  /**
   * Returns another living thread that knows an operation to be done, so that a hand-off by it
   * would order the caller; null if there is none, in a host function, or if one clock stands for
   * all.
   */
  @Nullable HostThread findThreadThatKnows(Operation operation) {
    HostThread current = current();
    if (shared != null || current.function != null) {
      return null;
    }
    for (HostThread thread : living) {
      if (!thread.equals(current) && !thread.worker && operation.isBefore(thread.known)) {
        return thread;
      }
    }
    return null;
  }

  /** Publishes the knowledge of ended threads to all. */
  void joinEndedThreads() {
    for (Iterator<HostThread> it = living.iterator(); it.hasNext(); ) {
      HostThread thread = it.next();
      if (thread.isOver()) {
        it.remove();
        joinedEnded = true;
        knownToAll.join(thread.known);
        StreamClock own = thread.getOwn();
        if (own != null) {
          clocks.retire(own);
        }
      }
    }
  }

  /**
   * Returns whether {@link #joinEndedThreads} found an ended thread since the last call of this
   * method.
   */
  public boolean hasJoinedEndedThreads() {
    boolean some = joinedEnded;
    joinedEnded = false;
    return some;
  }
}
