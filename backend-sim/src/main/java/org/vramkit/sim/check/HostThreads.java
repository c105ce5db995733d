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
 * What the host knows to be done.
 *
 * <h2>One clock, unless hand-overs have to be told</h2>
 *
 * Threads synchronise by means of Java that nothing here sees. So what one of them has waited for
 * counts as known to all of them: a race that only another thread's wait rules out gets no verdict.
 *
 * <h2>A clock for each thread</h2>
 *
 * With {@link Strictness#PEDANTIC} a thread knows what it has waited for, and what was handed over
 * to it: by a {@code HandOff}; by its start, so its first call takes over what all threads know by
 * then; and by the end of a thread, so what a dead thread knew belongs to all. Where a task of a
 * fork-join pool or a coroutine begins and ends cannot be seen, but whose thread it is can: each of
 * its calls counts as the first of a task and as the last, so it knows what all do and teaches all.
 *
 * <h2>Host functions</h2>
 *
 * A function knows what comes before it in its stream, wherever it runs. One that begins because a
 * thread waits for it, or for anything that it may complete, teaches that to all threads. One that
 * begins because a pool waits teaches it to the other threads alone: the thread in the pool has not
 * waited for the function.
 *
 * <h2>Pools</h2>
 *
 * What a pool learns orders what pools do with memory, and nothing that the program does.
 */
public final class HostThreads {
  private final Clocks clocks;

  /** Stands for all threads; null where each has a clock of its own. */
  private final @Nullable HostThread shared;

  /** Holds all that any thread knows. */
  final HostClock all;

  /** Holds what every thread may rely on: all that ended ones knew or published to all. */
  private final HostClock everybody = new HostClock();

  /** Holds the knowledge of functions that began in a pool's wait. */
  private final HostClock overheard = new HostClock();

  private WeakReference<Thread> waiting = new WeakReference<>(null);

  /** Holds what pools have learnt besides. */
  private final HostClock pools = new HostClock();

  /** How deep in pools each thread is; kept for each, because pools come and go with every call. */
  private final ThreadLocal<int[]> poolDepth = ThreadLocal.withInitial(() -> new int[1]);

  private final Map<Thread, HostThread> byThread = new WeakHashMap<>();
  private final List<HostThread> living = new ArrayList<>();
  private boolean buried;

  /** Host functions that run, each as a thread of its own. */
  private final Map<Thread, HostThread> functions = new WeakHashMap<>();

  /** Stands for the simulator itself, where it runs what the program queued. */
  private final HostThread simulator = new HostThread("the simulator", null);

  /** The thread of the last call, which mostly is the one of the next. */
  private @Nullable HostThread latest;

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
      if (!overheard.isEmpty() && !waiting.refersTo(caller)) {
        shared.known.join(overheard);
        overheard.clear();
      }
      return shared;
    }
    HostThread thread = latest;
    if (thread == null || !thread.is(caller)) {
      thread = byThread.computeIfAbsent(caller, this::arrive);
      latest = thread;
    }
    thread.follow(thread.worker ? all : everybody);
    return thread;
  }

  private HostThread arrive(Thread thread) {
    buryDead();
    HostThread arrived = new HostThread("thread " + thread.getName(), thread);
    arrived.known.join(all);
    living.add(arrived);
    return arrived;
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

  /** The calling thread has learnt that work is done; inside a pool, only pools have. */
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
      news.accept(everybody);
    }
  }

  /** The calling thread did something itself, which it knows to be done. */
  void did(Operation operation) {
    learn(clock -> clock.join(operation.slot(), operation.epoch()));
  }

  StreamClock own() {
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
    if (isInPool()) {
      pools.join(handOver);
    } else {
      learn(clock -> clock.join(handOver));
    }
  }

  /** The calling thread passes on whatever it learns from now on, until {@link #endPublishing}. */
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

  /** A function begins: what comes before it is done. */
  void begins(Snapshot before, @Nullable Thread bystander) {
    pools.joinPooled(before);
    teach(clock -> clock.join(before), bystander);
  }

  /**
   * A function has begun or ended, so all threads may rely on this: but the one in whose pool's
   * wait that was, if there is one.
   */
  void teach(Consumer<HostClock> news, @Nullable Thread bystander) {
    if (bystander == null) {
      news.accept(everybody);
      news.accept(all);
    } else if (shared == null) {
      living.stream().filter(thread -> !thread.is(bystander)).forEach(thread -> thread.learn(news));
      news.accept(all);
    } else {
      if (!waiting.refersTo(bystander)) {
        shared.known.join(overheard);
        overheard.clear();
        waiting = new WeakReference<>(bystander);
      }
      news.accept(overheard);
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

  /** Returns what any thread knows or, where a pool calls, any pool. */
  Order allOfCaller() {
    return isInPool() ? allAndPools() : all;
  }

  /**
   * Returns what a stream's next operation comes after, or any thread or pool knows. Pools hand
   * memory on under their own locks: what any thread has waited for counts, and the allocation
   * stands for it from then on.
   */
  Order forPools(StreamClock stream) {
    return Order.either(stream.forPools(), allAndPools());
  }

  /** The same without what only the stream's next operation will follow. */
  Order forPoolsNow(StreamClock stream) {
    return Order.either(stream.forPoolsNow(), allAndPools());
  }

  /**
   * Returns what a stream comes after, without what is known to pools alone, unless one of them
   * calls.
   */
  Order forCaller(StreamClock stream) {
    return isInPool() ? forPools(stream) : Order.either(stream.next(), all);
  }

  /** Returns what every thread knows: all that is submitted from now on comes after it. */
  Order common() {
    if (shared != null) {
      return shared.known;
    }
    buryDead();
    return (slot, epoch) ->
        everybody.covers(slot, epoch)
            || living.stream()
                .allMatch(thread -> (thread.worker ? all : thread.known).covers(slot, epoch));
  }

  /**
   * A living thread that knows an operation to be done which the calling one may not rely on; null
   * if there is none, and always where one clock stands for all.
   */
  @Nullable HostThread witness(Operation operation) {
    HostThread current = current();
    if (shared != null || current.function != null) {
      return null;
    }
    for (HostThread thread : living) {
      if (!thread.equals(current) && !thread.worker && thread.known.covers(operation)) {
        return thread;
      }
    }
    return null;
  }

  /** Gives all threads what those knew that are over. */
  void buryDead() {
    for (Iterator<HostThread> it = living.iterator(); it.hasNext(); ) {
      HostThread thread = it.next();
      if (thread.isOver()) {
        it.remove();
        buried = true;
        everybody.join(thread.known);
        StreamClock own = thread.getOwn();
        if (own != null) {
          clocks.retire(own);
        }
      }
    }
  }

  /**
   * Returns whether a thread has ended since this was asked last, as far as a verdict depends on
   * it.
   */
  public boolean hasBuried() {
    boolean some = buried;
    buried = false;
    return some;
  }
}
