package org.vramkit.pressure;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.Reclaimer;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.Batch;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.DriverStatus;
import org.vramkit.api.units.ByteSize;
import org.vramkit.api.units.Count;

/**
 * Lets an allocation that finds too little memory wait for closes of other users. Requests are
 * served in the order of arrival; a later one does not overtake, even if it would fit. Safe for any
 * thread.
 *
 * <p>The allocator sees only closes of memory that was allocated through it, so all users of scarce
 * memory should allocate here. A request fails at once if no close could help: it is larger than
 * the device or the limit, it is wrong in itself, or no allocation of this allocator is open.
 * Before a request waits, pools over this allocator give up the memory that they cache.
 *
 * <p>Users that wait while they hold memory may wait for each other until a timeout. {@link Retry}
 * detects such a deadlock at once.
 */
public final class WaitingAllocator extends ForwardingAllocator {
  /** How often reclaimers are asked in a row, because one may report freed memory forever. */
  private static final int MOST_ROUNDS = 16;

  /** How often a waiting thread looks although it was not woken. */
  private static final long LOOK_NANOS = 1_000_000_000;

  private static final Parts<WaitingAllocator, WaitingStatistics> PARTS =
      new Parts<>(
          WaitingAllocator::getDevice,
          WaitingAllocator::getWaitingStatistics,
          "WaitingStatistics",
          "Allocations that wait for a close",
          WaitingStatistics::getMetrics);

  private final Duration timeout;

  /** The number among {@link Parts}. */
  private final long part;

  private final AtomicLong closes = new AtomicLong();

  /** Owners of memory of this allocator that they can do without. */
  private final List<Reclaimer> reclaimers = new CopyOnWriteArrayList<>();

  /**
   * The line; it and its turns are guarded by the lock. Code of other classes is not called under
   * it.
   */
  private final ArrayDeque<Turn> line = new ArrayDeque<>();

  /** The number of waiting requests, for reads without the lock. */
  private volatile int waiting;

  /** Figures; guarded by the lock. */
  private long served;

  private long failed;
  private long waitNanos;
  private long longestWaitNanos;

  private WaitingAllocator(Allocator upstream, Duration timeout) {
    super(upstream, new PartLock("a waiting allocator"));
    this.timeout = Timeouts.requireNotNegative(timeout);
    part = PARTS.show(this);
  }

  /**
   * Creates an allocator whose allocations wait.
   *
   * @param timeout default of the maximum time to wait; zero does not wait
   */
  public static WaitingAllocator over(Allocator upstream, Duration timeout) {
    return new WaitingAllocator(upstream, timeout);
  }

  /**
   * Allocates; waits until other users have closed enough memory.
   *
   * @param atMost maximum time to wait; zero does not wait
   * @throws DeviceOutOfMemoryException if no close can help, in which case it is thrown at once, or
   *     if the timeout expires; its cause is the last refusal
   * @throws CancellationException if the thread is interrupted; the interrupt flag stays set
   * @see Allocator#allocate(long, Stream)
   */
  public Allocation allocate(long bytes, Stream stream, Duration atMost) {
    Timeouts.requireNotNegative(atMost);
    return serve(bytes, () -> take(bytes, ANY, stream, atMost));
  }

  /**
   * Allocates without blocking a thread, and waits without a limit of time.
   *
   * @param executor runs the attempts: the first one, and one after each close
   * @return a stage that completes with the allocation, or with an exception of {@link #allocate};
   *     cancel the stage, or let it time out, to leave the line
   */
  public CompletionStage<Allocation> allocateAsync(long bytes, Stream stream, Executor executor) {
    requireNonNull(executor, "executor");
    return lock.guard(() -> ask(bytes, stream, executor));
  }

  private CompletionStage<Allocation> ask(long bytes, Stream stream, Executor executor) {
    HeldAllocation made = begin();
    Turn turn = new Turn(bytes, ANY, stream, executor);
    join(turn);
    CompletableFuture<Allocation> result = new CompletableFuture<>();
    lock.watch(result);
    var unused =
        turn.future.whenComplete(
            (allocation, error) -> {
              // The user may close this allocator once the stage is complete.
              turn.endAttemptIfCompleting();
              if (error != null) {
                abandon();
                result.completeExceptionally(error);
              } else if (!result.complete(finish(made, allocation, bytes))) {
                made.close();
              }
            });
    var unusedToo = result.whenComplete((allocation, error) -> turn.future.cancel(false));
    return result;
  }

  /** Returns the number of waiting requests. */
  public int getWaiting() {
    return waiting;
  }

  /**
   * Returns statistics of the requests; {@link #getStatistics} returns those of the upstream
   * allocator.
   */
  public WaitingStatistics getWaitingStatistics() {
    return lock.locked(
        () ->
            new WaitingStatistics(
                getLiveBytes(), waiting, served, failed, waitNanos, longestWaitNanos));
  }

  /**
   * Adds a reclaimer, which the upstream allocator calls, and which is also called before a request
   * waits.
   */
  @Override
  public boolean addReclaimer(Reclaimer reclaimer) {
    reclaimers.add(requireNonNull(reclaimer, "reclaimer"));
    super.addReclaimer(reclaimer);
    return true;
  }

  @Override
  public void removeReclaimer(Reclaimer reclaimer) {
    reclaimers.remove(reclaimer);
    super.removeReclaimer(reclaimer);
  }

  /** Returns whether reclaimers have freed memory for a refused request. */
  private boolean reclaim(long bytes, DeviceOutOfMemoryException refusal) {
    long[] freed = {0};
    for (Reclaimer each : reclaimers) {
      if (freed[0] < bytes) {
        Batch.after(refusal, () -> freed[0] += each.reclaim(bytes - freed[0]));
      }
    }
    return freed[0] > 0;
  }

  /** Returns whether the answer to a request may change with a close. */
  private boolean mayWait(long bytes, long alignment, @Nullable Stream stream) {
    return bytes > 0
        && bytes <= Math.min(getDevice().getProperties().totalMemoryBytes(), getLimit())
        && Long.bitCount(alignment) == 1
        && stream != null
        && !stream.isClosed()
        && stream.getDevice().equals(getDevice());
  }

  @Override
  public void close() {
    super.close();
    PARTS.hide(part);
    if (lock.isBroken()) {
      lock.failStages();
    }
  }

  @Override
  Allocation take(long bytes, long alignment, Stream stream) {
    return take(bytes, alignment, stream, timeout);
  }

  private Allocation take(long bytes, long alignment, Stream stream, Duration atMost) {
    Queue<Runnable> attempts = new ConcurrentLinkedQueue<>();
    Thread caller = Thread.currentThread();
    Turn turn = new Turn(bytes, alignment, stream, attempt -> hand(attempt, attempts, caller));
    if (waiting == 0 || !turn.mayWait) {
      Allocation made = turn.attempt();
      if (made != null) {
        return made;
      }
    }
    lock.guard(() -> awaitTurn(turn, attempts, atMost));
    return turn.result();
  }

  /** Gives an attempt to a waiting thread, to which the caller's errors of the JVM are none. */
  private void hand(Runnable attempt, Queue<Runnable> attempts, Thread waiter) {
    try {
      attempts.add(attempt);
      LockSupport.unpark(waiter);
    } catch (VirtualMachineError | LinkageError e) {
      lock.brokenBy = e;
    }
  }

  /** Waits in line until a request has an outcome, and makes its attempts. */
  private void awaitTurn(Turn turn, Queue<Runnable> attempts, Duration atMost) {
    join(turn);
    Trampoline.finish();
    long end = System.nanoTime() + Timeouts.nanosOf(atMost);
    try {
      while (!turn.future.isDone()) {
        Runnable attempt = attempts.poll();
        if (attempt == null) {
          RetryTask task = RetryTasks.beginWait();
          try {
            attempt = awaitAttempt(attempts, end);
          } finally {
            RetryTasks.endWait(task);
          }
        }
        if (attempt != null) {
          attempt.run();
        } else if (turn.future.cancel(false)) {
          throw late(turn, atMost);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      if (!turn.future.cancel(false) && !turn.future.isCompletedExceptionally()) {
        giveBack(turn.result());
      }
      throw new CancellationException(
          "interrupted while " + ByteSize.format(turn.bytes) + " waited for memory");
    }
  }

  /**
   * Waits for the next attempt of a request; returns null if there is none until the end.
   *
   * @throws IllegalStateException if an error of the JVM has broken this allocator
   */
  private @Nullable Runnable awaitAttempt(Queue<Runnable> attempts, long end)
      throws InterruptedException {
    while (true) {
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      lock.requireIntact();
      Runnable attempt = attempts.poll();
      long left = end - System.nanoTime();
      if (attempt != null || left <= 0) {
        return attempt;
      }
      LockSupport.parkNanos(this, Math.min(left, LOOK_NANOS));
      if (left > LOOK_NANOS && attempts.isEmpty()) {
        wakeFirst(); // because an overflow may have kept another thread from it
      }
    }
  }

  /** Closes an allocation whose request was cancelled meanwhile. */
  private void giveBack(Allocation made) {
    try {
      made.close();
    } finally {
      closes.incrementAndGet();
    }
  }

  private void join(Turn turn) {
    if (!turn.mayWait) {
      submit(turn);
      return;
    }
    lock.run(
        () -> {
          line.add(turn);
          turn.since = System.nanoTime();
          turn.behindOthers = line.size() > 1;
          waiting = line.size();
        });
    var unused = turn.future.whenComplete((made, error) -> leave(turn, made != null));
    Turn first = nextTurn();
    if (first == turn) {
      // The caller has no stage yet, so this runs no callbacks.
      submit(first);
    } else if (first != null) {
      Trampoline.run(() -> submit(first));
    }
  }

  private void leave(Turn turn, boolean succeeded) {
    lock.runIfIntact(
        () -> {
          line.remove(turn);
          waiting = line.size();
          count(turn, succeeded);
        });
    wakeFirst();
  }

  private void count(Turn turn, boolean succeeded) {
    if (!turn.behindOthers && turn.refusal == null) {
      return; // The request found memory at once.
    }
    if (!succeeded) {
      failed++;
      return;
    }
    long nanos = System.nanoTime() - turn.since;
    served++;
    waitNanos += nanos;
    longestWaitNanos = Math.max(longestWaitNanos, nanos);
  }

  /**
   * Counts the close before its holder is removed: a request that saw neither would seem hopeless.
   */
  @Override
  void freed() {
    closes.incrementAndGet();
  }

  @Override
  void released(long bytes) {
    if (waiting > 0) {
      wakeFirst();
    }
  }

  private void wakeFirst() {
    lock.guard(
        () -> {
          Turn first = nextTurn();
          if (first != null) {
            Trampoline.run(() -> submit(first));
          }
        });
  }

  /**
   * Returns the first request in line and marks it as busy; null if it is busy, or if no memory was
   * closed since its last attempt, while a later close could help.
   */
  private @Nullable Turn nextTurn() {
    @Nullable Turn[] next = {null};
    lock.runIfIntact(
        () -> {
          Turn first = line.peek();
          while (first != null && first.future.isDone()) {
            // Its leave is about to follow, or an overflow came in between.
            line.remove();
            first = line.peek();
          }
          waiting = line.size();
          if (first != null && !first.busy && (!first.hasSeen(closes.get()) || isHopeless())) {
            first.busy = true;
            next[0] = first;
          }
        });
    return next[0];
  }

  /**
   * Submits an attempt to the request's executor. If the executor rejects it, the request fails
   * with that exception, which is thrown here only if the request has already ended.
   */
  private static void submit(Turn turn) {
    try {
      turn.executor.execute(turn);
    } catch (RuntimeException | Error e) {
      if (!turn.future.completeExceptionally(e)) {
        throw e;
      }
    }
  }

  /** Returns whether all holders are requests in line, so that no allocation can be closed. */
  private boolean isHopeless() {
    return getHolders() <= line.size();
  }

  private DeviceOutOfMemoryException late(Turn turn, Duration atMost) {
    return outOfMemory(
        turn,
        "timed out after "
            + atMost
            + "; users of this allocator hold "
            + ByteSize.format(getLiveBytes())
            + ", with "
            + Count.of(waiting, "other request")
            + " in line; close allocations, or wait longer");
  }

  private static DeviceOutOfMemoryException outOfMemory(Turn turn, String why) {
    return new DeviceOutOfMemoryException(
        "out of memory: asked for " + ByteSize.format(turn.bytes) + ", " + why,
        turn.bytes,
        DriverStatus.NONE,
        turn.refusal);
  }

  /** A request in line. Its executor runs it for each attempt. */
  private final class Turn implements Runnable {
    final long bytes;
    final long alignment;
    final Stream stream;
    final Executor executor;
    final CompletableFuture<Allocation> future = new CompletableFuture<>();

    /** False if the request is answered at once, out of line. */
    final boolean mayWait;

    /**
     * The time at which the request joined the line. This field and the next are guarded by the
     * lock.
     */
    long since;

    boolean behindOthers;

    /** True while an attempt counts as a holder; of the thread that makes the attempt. */
    private boolean attempting;

    /** The thread that completes the request with the outcome of its attempt; may be null. */
    private volatile @Nullable Thread completing;

    /** True from the submission to the executor to the end of the attempt; guarded by the lock. */
    boolean busy;

    /** The number of closes before the latest attempt; -1 before the first. */
    private volatile long seen = -1;

    /** The failure of the latest attempt. */
    volatile @Nullable DeviceOutOfMemoryException refusal;

    Turn(long bytes, long alignment, Stream stream, Executor executor) {
      this.bytes = bytes;
      this.alignment = alignment;
      this.stream = stream;
      this.executor = executor;
      this.mayWait = mayWait(bytes, alignment, stream);
    }

    boolean hasSeen(long count) {
      return seen == count;
    }

    /** Tries once; returns null if there is too little memory and a close may help. */
    @Nullable Allocation attempt() {
      for (int round = 1; ; round++) {
        seen = closes.get();
        try {
          return takeUpstream(bytes, alignment, stream);
        } catch (DeviceOutOfMemoryException e) {
          refusal = e;
          if (!mayWait) {
            throw e;
          }
          if (round == MOST_ROUNDS || !reclaim(bytes, e)) {
            return null;
          }
        }
      }
    }

    /**
     * Tries to allocate, and counts as a holder meanwhile. If the request was cancelled, the memory
     * is freed.
     */
    @Override
    public void run() {
      lock.guard(this::runOnce);
    }

    private void runOnce() {
      boolean holds = hold();
      if (!holds || future.isDone()) {
        // The request was cancelled and has left the line.
        if (holds) {
          abandon();
        }
        return;
      }
      attempting = true;
      try {
        tryOnce();
      } finally {
        endAttempt();
      }
    }

    private void endAttempt() {
      if (attempting) {
        attempting = false;
        completing = null;
        lock.runIfIntact(() -> busy = false);
        abandon();
      }
    }

    /** Ends the attempt whose outcome completes the request on this thread; a cancel ends none. */
    void endAttemptIfCompleting() {
      if (completing == Thread.currentThread()) {
        endAttempt();
      }
    }

    private void tryOnce() {
      Allocation made = null;
      try {
        if (isHopelessNow()) {
          completing = Thread.currentThread();
          future.completeExceptionally(
              outOfMemory(this, "and no open allocation of this allocator could be closed"));
          return;
        }
        made = attempt();
        completing = Thread.currentThread();
        if (made != null && !future.complete(made)) {
          giveBack(made);
        }
      } catch (RuntimeException | Error e) {
        completing = Thread.currentThread();
        if (future.completeExceptionally(e) && made != null) {
          giveBack(made);
        }
      }
    }

    private boolean isHopelessNow() {
      // This attempt counts as a holder itself.
      return lock.change(() -> hasSeen(closes.get()) && getHolders() - 1 <= line.size());
    }

    /** Returns the outcome of a completed request. */
    Allocation result() {
      try {
        return future.join();
      } catch (CompletionException e) {
        if (e.getCause() instanceof Error error) {
          throw error;
        }
        throw e.getCause() instanceof RuntimeException failure ? failure : e;
      }
    }
  }
}
