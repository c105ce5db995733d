package org.vramkit.partition.scatter;

import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.HostEdge;
import org.vramkit.api.error.Batch;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.FatalDeviceException;
import org.vramkit.api.error.GpuException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.partition.device.DevicePool;
import org.vramkit.partition.device.PooledDevice;
import org.vramkit.partition.plan.Tile;

/**
 * Runs one scatter in chunks. The {@link ChunkScheduler} assigns chunks, and lanes run them, each
 * on its own thread. A lane that has ended a chunk assigns the next ones. The calling thread waits
 * and periodically checks for overdue chunks.
 */
/*
 * Locks
 * =====
 *   lock           the scheduler, the members, the states and outcomes of chunks and lanes. Not held while
 *                  a task, a listener or the driver is called. Work is submitted to workers under it.
 *   listenerLock   calls of the listener, one range at a time
 *
 * Failures
 * ========
 *   out of memory     the device's chunks are halved from then on; a device that cannot run a single
 *                     unit, with no other chunk in progress, is removed
 *   other GPU error   the device is quarantined and removed; its unfinished chunks are reassigned. A
 *                     chunk that fails on a second device is left for the CPU
 *   fatal error       all devices of the process are lost: the CPU does the rest
 *   anything else     a failure of user code: no further chunk begins, those in progress are awaited up
 *                     to the drain deadline, and the failure is thrown
 * A chunk's units are reassigned only after it has ended or was abandoned as overdue. The end of an
 * abandoned chunk is ignored, so every unit counts once.
 */
final class GuidedRun {
  private static final System.Logger LOGGER = System.getLogger(Scatter.class.getName());

  /** Interval of the checks for overdue chunks, in real time. */
  private static final long POLL_MILLIS = 10;

  /**
   * A failure that ends the scatter, with the index of its chunk; -1 for an interrupt or a close,
   * {@link Integer#MAX_VALUE} for a chunk that hangs.
   */
  private record Failure(int index, Throwable cause) {}

  final Settings settings;
  final TileTask task;
  final Progress progress = new Progress();
  private final long units;
  private final Schedule schedule;
  private final @Nullable CpuTask onCpu;
  private final Workers workers;
  private final Quarantine quarantine;
  private final BooleanSupplier closed;
  private final Object lock = new Object();
  private final Object listenerLock = new Object();
  private final ChunkScheduler scheduler;
  private final List<Lane> lanes = new ArrayList<>();
  private final List<Chunk> inProgress = new ArrayList<>();
  private final List<ChunkRun> runs = new ArrayList<>();
  private final List<Failure> failures = new ArrayList<>();
  private final List<GpuException> gpuFailures = new ArrayList<>();
  private final List<String> reasons = new ArrayList<>();
  private final long start;
  private final long deadlineNanos;

  /** Guarded by {@link #listenerLock}. */
  private long finishedUnits;

  private int halvings;

  /** True if no further chunks are assigned. */
  private boolean stopped;

  /** True if the caller has stopped waiting. A lane that ends later closes itself. */
  private boolean concluded;

  private boolean interrupted;

  GuidedRun(
      Settings settings,
      Workers workers,
      Quarantine quarantine,
      BooleanSupplier closed,
      long units,
      Schedule schedule,
      @Nullable CpuTask onCpu,
      TileTask task) {
    this.settings = settings;
    this.workers = workers;
    this.quarantine = quarantine;
    this.closed = closed;
    this.units = units;
    this.schedule = schedule;
    this.onCpu = onCpu;
    this.task = task;
    this.deadlineNanos = schedule.deadlineNanos();
    List<Piece> left = PendingUnits.without(schedule.finished(), units);
    this.finishedUnits = units - left.stream().mapToLong(Piece::units).sum();
    this.scheduler =
        new ChunkScheduler(left.isEmpty() ? List.of() : members(), left, schedule, units);
    this.start = settings.clock().nanoTime();
  }

  private List<Member> members() {
    DevicePool usable = settings.pool().without(quarantine.getOrdinals());
    List<Member> members = new ArrayList<>();
    double lowest = 1;
    try {
      List<Long> caps = settings.planner().getCaps(usable);
      for (int i = 0; i < usable.getCount(); i++) {
        PooledDevice each = usable.getDevices().get(i);
        long cap = caps.get(i);
        if (cap > 0) {
          double earlier = settings.history().getRate(schedule.kind(), each.device());
          int depth = cap > 1 ? 2 : 1;
          members.add(
              new Member(
                  each.getOrdinal(), each.device(), each.score(), earlier, cap / depth, depth));
          lowest = each.score() > 0 ? each.score() : lowest;
        } else {
          reasons.add("device " + each.getOrdinal() + " has no memory for one unit");
        }
      }
    } catch (GpuException e) {
      reasons.add("planning failed: " + e);
      gpuFailures.add(e);
    }
    if (usable.getCount() == 0) {
      reasons.add("there is no usable device");
    }
    if (schedule.hasCpu()) {
      if (onCpu == null) {
        throw new InvalidArgumentException(
            "the schedule uses the CPU as a device, but the run has no CPU task; pass one to"
                + " run()");
      }
      double earlier = settings.history().getRate(schedule.kind(), null);
      // Assume the CPU to be far slower than any device until its rate is measured.
      members.add(new Member(Tile.CPU, null, lowest / 16, earlier, Long.MAX_VALUE, 1));
    }
    return members;
  }

  ScatterReport run() {
    for (Member member : scheduler.members) {
      Device device = member.device;
      HostEdge edge = device == null ? HostEdge.NONE : device.createHostEdge();
      edge.publish();
      for (int i = 0; i < 2; i++) {
        lanes.add(new Lane(member, i, this, edge));
      }
    }
    List<Lane> idle;
    synchronized (lock) {
      assignAndStart(null);
      awaitEnd();
      concluded = true;
      // The other lanes are still in use; their threads close them.
      idle = lanes.stream().filter(lane -> lane.chunk == null).toList();
    }
    Throwable failure = null;
    try {
      Batch.forEach(idle, Lane::close);
    } catch (RuntimeException | Error e) {
      failure = e;
    }
    if (interrupted) {
      // Not before the waits: a backend may abort a wait on an interrupted thread.
      Thread.currentThread().interrupt();
    }
    return conclude(failure);
  }

  /** Waits until no chunk is in progress and none can be assigned. Called with the lock held. */
  private void awaitEnd() {
    long drain = PendingUnits.nanos(settings.drainDeadline());
    while (!inProgress.isEmpty()) {
      try {
        long left = drain - progress.nanosSinceCancelled();
        long millis = TimeUnit.NANOSECONDS.toMillis(left) + 1;
        lock.wait(
            progress.isCancelled() ? Math.min(POLL_MILLIS, Math.max(1, millis)) : POLL_MILLIS);
        if (progress.isCancelled() && left <= 0) {
          inProgress.forEach(this::abandonHanging);
          inProgress.clear();
        } else {
          checkChunks(settings.clock().nanoTime());
        }
      } catch (InterruptedException e) {
        interrupted = true;
        if (progress.cancel()) {
          failures.add(
              new Failure(
                  -1, new ScatterException("interrupted while chunks were in progress", null)));
        }
        stop();
      }
    }
  }

  private void abandonHanging(Chunk chunk) {
    chunk.state = Chunk.State.ABANDONED;
    failures.add(
        new Failure(
            Integer.MAX_VALUE,
            new ScatterException(
                "chunk "
                    + chunk.tile()
                    + " did not end within "
                    + settings.drainDeadline()
                    + " of being cancelled; the worker of its device stays busy until it ends",
                null)));
  }

  /** Stops assigning chunks and withdraws queued ones. */
  private void stop() {
    stopped = true;
    for (Chunk chunk : List.copyOf(inProgress)) {
      if (chunk.state == Chunk.State.QUEUED) {
        withdraw(chunk);
      }
    }
  }

  /** Withdraws a chunk that no thread has begun. */
  private void withdraw(Chunk chunk) {
    chunk.state = Chunk.State.ENDED;
    inProgress.remove(chunk);
    scheduler.dropped(chunk, chunk.piece, settings.clock().nanoTime());
    for (Lane lane : lanes) {
      if (lane.chunk == chunk) {
        lane.chunk = null;
      }
    }
    settings.clock().ended();
  }

  /** Handles overdue chunks, and chunks that wait for a thread that is busy elsewhere. */
  private void checkChunks(long now) {
    for (Chunk chunk : List.copyOf(inProgress)) {
      if (chunk.state == Chunk.State.RUNNING && now - chunk.beganNanos > deadlineNanos) {
        handleOverdue(chunk, now);
      }
    }
    Chunk waiting = stopped ? null : scheduler.queuedTooLong(inProgress, now);
    if (waiting != null) {
      waiting.member.overdueChunks++;
      withdraw(waiting);
      assignAndStart(null);
      waiting.member.overdueChunks--;
    }
    if (waiting != null || settings.clock().mayAssignWhileWaiting()) {
      // The device for which the scheduler held units back may have stopped since.
      assignAndStart(null);
    }
  }

  private void handleOverdue(Chunk chunk, long now) {
    boolean moves = task.isRepeatable() && scheduler.hasOther(chunk) && !stopped;
    if (!chunk.late) {
      LOGGER.log(
          Level.WARNING,
          "chunk {0} is overdue: it began {1} ms ago and its deadline is {2} ms; {3}",
          chunk.tile(),
          TimeUnit.NANOSECONDS.toMillis(now - chunk.beganNanos),
          TimeUnit.NANOSECONDS.toMillis(deadlineNanos),
          moves
              ? "another device runs it now"
              : "waiting for it, as no other device can run it" + " now");
    }
    chunk.late = true;
    if (moves) {
      chunk.state = Chunk.State.ABANDONED;
      inProgress.remove(chunk);
      chunk.member.overdueChunks++;
      runs.add(chunk.ended(ChunkRun.Outcome.OVERDUE, start, now));
      scheduler.dropped(chunk, chunk.piece.elsewhere(chunk.member.ordinal, false), now);
      scheduler.releaseRecorded(chunk.member.ordinal);
      assignAndStart(null);
    }
  }

  /** Assigns all chunks that can be assigned and starts their lanes, except {@code own}. */
  private void assignAndStart(@Nullable Lane own) {
    if (closed.getAsBoolean() && !scheduler.isAllAssigned() && !stopped) {
      fail(-1, Workers.closedMeanwhile());
    }
    if (stopped || progress.isCancelled()) {
      return;
    }
    for (Chunk chunk : scheduler.assign(settings.clock().nanoTime())) {
      Lane lane =
          own != null && own.chunk == null && own.member == chunk.member
              ? own
              : lanes.stream()
                  .filter(each -> each.member == chunk.member && each.chunk == null)
                  .findFirst()
                  .orElseThrow();
      lane.chunk = chunk;
      inProgress.add(chunk);
      settings.clock().assigned();
      chunk.ownThread = lane == own && !workers.hasQueuedWork(lane.member.ordinal, lane.number);
      if (!chunk.ownThread) {
        submit(lane, chunk);
      }
    }
  }

  private void submit(Lane lane, Chunk chunk) {
    if (chunk.state != Chunk.State.QUEUED) {
      return;
    }
    try {
      workers.submit(lane.member.ordinal, lane.number, lane);
    } catch (RejectedExecutionException e) {
      fail(chunk.index, Workers.closedMeanwhile());
    } catch (Throwable e) {
      // Usually the thread could not be created. Thrown after the running chunks have ended.
      fail(chunk.index, e);
    }
  }

  private void fail(int index, Throwable cause) {
    failures.add(new Failure(index, cause));
    progress.cancel();
    stop();
  }

  /** Marks the lane's chunk as running and returns it; null if it was withdrawn. */
  @Nullable Chunk begin(Lane lane) {
    synchronized (lock) {
      Chunk chunk = lane.chunk;
      if (chunk == null || chunk.state != Chunk.State.QUEUED) {
        return null;
      }
      chunk.state = Chunk.State.RUNNING;
      chunk.beganNanos = settings.clock().nanoTime();
      return chunk;
    }
  }

  void performOnCpu(Piece piece) throws Exception {
    Objects.requireNonNull(onCpu).run(piece.from(), piece.to());
  }

  /** Reports a completed chunk to the listener, unless the chunk was abandoned. */
  void reportDone(Chunk chunk) {
    synchronized (lock) {
      if (chunk.state != Chunk.State.RUNNING) {
        return;
      }
      chunk.state = Chunk.State.ENDED;
    }
    reportDone(chunk.tile());
  }

  private void reportDone(Tile tile) {
    synchronized (listenerLock) {
      finishedUnits += tile.getUnits();
      settings.listener().finished(tile, finishedUnits, units);
    }
  }

  /**
   * Records the end of a lane's chunk and assigns further chunks.
   *
   * @return the chunk that the lane runs next; null if there is none
   */
  @Nullable Chunk ended(Lane lane, Chunk chunk, @Nullable Throwable failure) {
    Chunk next;
    boolean abandoned;
    boolean close;
    synchronized (lock) {
      long now = settings.clock().nanoTime();
      lane.chunk = null;
      abandoned = chunk.state == Chunk.State.ABANDONED;
      if (abandoned) {
        chunk.member.overdueChunks--;
      } else {
        settle(chunk, failure, now);
      }
      close = concluded;
      if (!concluded) {
        assignAndStart(lane);
      }
      next = lane.chunk;
      // Continue on this thread, unless another scatter waits for it.
      next = next != null && next.ownThread ? begin(lane) : null;
      if (inProgress.isEmpty()) {
        lock.notifyAll();
      }
      settings.clock().ended();
    }
    if (abandoned) {
      endAbandoned(lane, chunk, failure, close);
    }
    return next;
  }

  private static void endAbandoned(
      Lane lane, Chunk chunk, @Nullable Throwable failure, boolean close) {
    Throwable all = failure;
    if (close) {
      try {
        lane.close();
      } catch (RuntimeException | Error e) {
        all = Failures.join(failure, e);
      }
    }
    LOGGER.log(
        all == null ? Level.INFO : Level.WARNING,
        "chunk " + chunk.tile() + " ended after its scatter had stopped waiting for it",
        all);
  }

  private void settle(Chunk chunk, @Nullable Throwable failure, long now) {
    inProgress.remove(chunk);
    // An ended chunk was already reported, so this failure came from the listener.
    boolean reported = chunk.state == Chunk.State.ENDED;
    chunk.state = Chunk.State.ENDED;
    if (failure == null) {
      scheduler.finished(chunk, now);
      runs.add(chunk.ended(ChunkRun.Outcome.DONE, start, now));
    } else if (reported || chunk.member.isCpu() || !(failure instanceof GpuException gpu)) {
      scheduler.dropped(chunk, chunk.piece, now);
      fail(chunk.index, failure);
    } else if (gpu instanceof DeviceOutOfMemoryException) {
      runs.add(chunk.ended(ChunkRun.Outcome.OUT_OF_MEMORY, start, now));
      shrink(chunk, gpu, now);
    } else {
      runs.add(chunk.ended(ChunkRun.Outcome.FAILED, start, now));
      reassign(chunk, gpu, now);
    }
  }

  private void shrink(Chunk chunk, GpuException failure, long now) {
    Member member = chunk.member;
    Piece piece = chunk.piece;
    if (piece.units() > 1) {
      halvings++;
      member.cap = Math.min(member.cap, piece.units() / 2);
      scheduler.dropped(chunk, piece.again(), now);
    } else if (member.chunks > 1) {
      member.lanes = 1;
      scheduler.dropped(chunk, piece.again(), now);
    } else {
      note(chunk, failure);
      scheduler.dropped(chunk, piece.elsewhere(member.ordinal, false), now);
      scheduler.takeOut(member);
    }
  }

  private void reassign(Chunk chunk, GpuException failure, long now) {
    note(chunk, failure);
    Member member = chunk.member;
    scheduler.dropped(chunk, chunk.piece.elsewhere(member.ordinal, true), now);
    if (failure instanceof FatalDeviceException) {
      scheduler.members.stream().filter(each -> !each.isCpu()).forEach(scheduler::takeOut);
    } else {
      quarantine.add(member.ordinal);
      scheduler.takeOut(member);
      if (chunk.piece.failures() > 0) {
        reasons.add(
            "units [" + chunk.piece.from() + ", " + chunk.piece.to() + ") failed on two devices");
      }
    }
  }

  private void note(Chunk chunk, GpuException failure) {
    reasons.add("chunk " + chunk.tile() + " failed: " + failure);
    gpuFailures.add(failure);
  }

  /**
   * Ends the run: throws failures, lets the CPU run the remaining units, and creates the report.
   */
  private ScatterReport conclude(@Nullable Throwable closing) {
    // Recorded even if the run fails, because a run that resumes it starts from these rates.
    recordRates();
    if (!failures.isEmpty()) {
      throw userFailure(closing);
    }
    String reason = "";
    List<Piece> left = scheduler.drain();
    if (!left.isEmpty()) {
      GpusFailedException why = gpusFailed();
      Throwable cause = why.getCause();
      if (closing != null && cause != null) {
        Failures.suppress(cause, closing);
      }
      reason = why.reason();
      takeOver(left, why);
    } else if (closing instanceof GpuException) {
      // Not thrown: all units are done, and the caller would run them again.
      LOGGER.log(Level.WARNING, "a stream of a scatter cannot be closed", closing);
    } else if (closing != null) {
      throw Failures.unchecked("closing streams", closing);
    }
    List<Tile> done = done();
    boolean cpuAlone =
        !done.isEmpty() && done.stream().allMatch(each -> each.ordinal() == Tile.CPU);
    return new ScatterReport(
        cpuAlone ? List.of() : done,
        cpuAlone,
        reason,
        halvings,
        scheduler.moves(),
        runs,
        settings.clock().nanoTime() - start);
  }

  private List<Tile> done() {
    return runs.stream()
        .filter(run -> run.outcome() == ChunkRun.Outcome.DONE)
        .map(ChunkRun::tile)
        .sorted(Comparator.comparingLong(Tile::from))
        .toList();
  }

  private void recordRates() {
    for (Member member : scheduler.members) {
      if (member.speed.isKnown()) {
        settings.history().put(schedule.kind(), member.device, member.speed.rate() * 1e9);
      }
    }
  }

  private RuntimeException userFailure(@Nullable Throwable closing) {
    failures.sort(
        Comparator.comparing((Failure each) -> !(each.cause() instanceof Error))
            .thenComparingInt(Failure::index));
    Throwable primary = failures.get(0).cause();
    failures.forEach(each -> Failures.suppress(primary, each.cause()));
    gpuFailures.forEach(each -> Failures.suppress(primary, each));
    Failures.suppress(primary, closing);
    return Failures.unchecked("a chunk", primary);
  }

  private GpusFailedException gpusFailed() {
    GpuException worst =
        gpuFailures.stream()
            .filter(each -> each instanceof FatalDeviceException)
            .findFirst()
            .orElse(gpuFailures.isEmpty() ? null : gpuFailures.get(0));
    if (worst != null) {
      gpuFailures.forEach(each -> Failures.suppress(worst, each));
    }
    String why = reasons.isEmpty() ? "no usable device is left" : String.join("; ", reasons);
    return new GpusFailedException(why, worst);
  }

  private void takeOver(List<Piece> left, GpusFailedException why) {
    if (onCpu == null) {
      throw why.unchecked();
    }
    for (Piece piece : left) {
      long from = settings.clock().nanoTime();
      try {
        performOnCpu(piece);
        Tile tile = new Tile(Tile.CPU, piece.from(), piece.to());
        reportDone(tile);
        runs.add(
            new ChunkRun(
                runs.size(),
                tile,
                piece.attempts() + 1,
                from - start,
                settings.clock().nanoTime() - start,
                ChunkRun.Outcome.DONE));
      } catch (Throwable e) {
        if (e instanceof InterruptedException) {
          Thread.currentThread().interrupt();
        }
        Failures.suppress(e, why.getCause());
        throw Failures.unchecked("the CPU task", e);
      }
    }
  }
}
