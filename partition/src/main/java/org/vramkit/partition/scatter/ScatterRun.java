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
import org.vramkit.partition.plan.Plan;
import org.vramkit.partition.plan.Tile;

/**
 * Runs one scatter in chunks. The {@link ChunkScheduler} assigns chunks, and lanes run them, each
 * on its own thread. Under a planned schedule each tile of the plan is a chunk, and a device has
 * one lane; the schedules otherwise differ only as described below.
 */
/*
 * Chunks
 * ======
 *
 *             calling thread, or a lane that has ended a chunk
 *   QUEUED ------------------------------------------------------> RUNNING   the lane calls the task
 *                                                                     |
 *              guided: the lane waits for its stream,                 |   planned: the calling thread
 *              takes the results and assigns chunks                   |   does, when no chunk runs
 *   ENDED <-----------------------------------------------------------+-----> RETURNED -----> ENDED
 *
 * A planned scatter leaves the waits to the calling thread, so that a worker is free for other scatters
 * as soon as a task has returned, and the work of all devices overlaps. A worker never waits for
 * another chunk, so two scatters over the same devices cannot deadlock. A task that runs a second
 * Scatter blocks its worker; if that run nests a run of the first Scatter, it is refused. Two threads
 * that nest the same two scatters in opposite order are not detected and can deadlock, as with two
 * locks.
 *
 * If a planned scatter has a CPU task, the results of ScatterArrays are written into the array once all
 * chunks are done, so that the CPU finds the original elements after a failure.
 *
 * Locks
 * =====
 *   lock           the scheduler, the members, the states and outcomes of chunks and lanes. Not held while
 *                  a task, a listener or the driver is called.
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
 *                     to the drain deadline, and the failure is thrown: errors before exceptions, then
 *                     by lowest chunk, with the others suppressed
 *   interrupt         as above, unless user code failed before
 *   chunk that hangs  by the drain deadline: suppressed; its lane releases its resources when it ends
 * A chunk's units are reassigned only after it has ended or was abandoned as overdue. The end of an
 * abandoned chunk is ignored, so every unit counts once.
 *
 * If a planned scatter has to leave units to the CPU, or a device fails under ALL_ON_CPU, all devices
 * are removed and the CPU does the whole batch.
 */
final class ScatterRun {
  private static final System.Logger LOGGER = System.getLogger(Scatter.class.getName());

  /** Interval of the checks for overdue chunks, in real time. */
  private static final long POLL_MILLIS = 10;

  /**
   * A failure.
   *
   * @param index the index of its chunk; -1 for an interrupt or a close, {@link Integer#MAX_VALUE}
   *     for a chunk that hangs
   * @param isThrown whether it ends the scatter; false for a GPU's, which the scatter works around
   */
  private record Failure(int index, Throwable cause, boolean isThrown) {}

  final Settings settings;
  final TileTask task;
  final Progress progress = new Progress();
  final boolean isPlanned;

  /** The name of a chunk in messages. */
  private final String what;

  private final long units;
  private final List<Piece> left;
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
  private final List<String> reasons = new ArrayList<>();
  private final long start;
  private final long deadlineNanos;

  /** The chunks that are done, whose results are taken once all are. Used by the calling thread. */
  private final List<TileContext> kept = new ArrayList<>();

  /** Guarded by {@link #listenerLock}. */
  private long finishedUnits;

  private int halvings;

  /** True if no further chunks are assigned. */
  private boolean stopped;

  /** True if the caller has stopped waiting. A lane that ends later closes itself. */
  private boolean concluded;

  private boolean interrupted;

  ScatterRun(
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
    this.isPlanned = schedule.isPlanned();
    this.what = isPlanned ? "tile" : "chunk";
    this.deadlineNanos = schedule.deadlineNanos();
    this.left = PendingUnits.without(schedule.finished(), units);
    this.finishedUnits = units - left.stream().mapToLong(Piece::units).sum();
    this.start = settings.clock().nanoTime();
    this.scheduler = left.isEmpty() ? scheduler(List.of(), schedule.order()) : scheduler();
  }

  private ChunkScheduler scheduler(List<Member> members, List<Tile> order) {
    return new ChunkScheduler(members, left, schedule, order, units);
  }

  private ChunkScheduler scheduler() {
    DevicePool usable = settings.pool().without(quarantine.getOrdinals());
    List<Member> members = members(usable);
    if (!isPlanned) {
      return scheduler(members, schedule.order());
    }
    List<Tile> order = new ArrayList<>();
    try {
      for (Piece piece : members.isEmpty() ? List.<Piece>of() : left) {
        Plan plan = settings.planner().plan(usable, piece.from(), piece.units());
        plan.rounds().forEach(order::addAll);
      }
    } catch (GpuException e) {
      noteUnplanned(e);
      members = List.of();
    }
    return members.isEmpty()
        ? scheduler(members, left.stream().map(ScatterRun::onCpu).toList())
        : scheduler(members, order);
  }

  private static Tile onCpu(Piece piece) {
    return new Tile(Tile.CPU, piece.from(), piece.to());
  }

  private void noteUnplanned(GpuException failure) {
    reasons.add("planning failed: " + failure);
    failures.add(new Failure(-1, failure, false));
  }

  private List<Member> members(DevicePool usable) {
    List<Member> members = new ArrayList<>();
    double lowest = 1;
    try {
      List<Long> caps = settings.planner().getCaps(usable);
      for (int i = 0; i < usable.getCount(); i++) {
        PooledDevice each = usable.getDevices().get(i);
        long cap = caps.get(i);
        if (cap > 0) {
          double earlier =
              isPlanned ? 0 : settings.history().getRate(schedule.kind(), each.device());
          int depth = cap > 1 && !isPlanned ? 2 : 1;
          members.add(
              new Member(
                  each.getOrdinal(), each.device(), each.score(), earlier, cap / depth, depth));
          lowest = each.score() > 0 ? each.score() : lowest;
        } else {
          reasons.add("device " + each.getOrdinal() + " has no memory for one unit");
        }
      }
    } catch (GpuException e) {
      noteUnplanned(e);
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
      for (int i = 0; i < member.lanes; i++) {
        lanes.add(new Lane(member, i, this, edge));
      }
    }
    try {
      start(assign(null));
      for (List<Chunk> next = awaitReturned(); !next.isEmpty(); next = awaitReturned()) {
        finish(next);
      }
      return conclude(closeIdle());
    } finally {
      Batch.forEach(kept, TileContext::end);
    }
  }

  /** Closes the lanes that are not in use; the threads of the others close them. */
  private @Nullable Throwable closeIdle() {
    List<Lane> idle;
    synchronized (lock) {
      concluded = true;
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
    return failure;
  }

  /**
   * Waits until no chunk is queued or running.
   *
   * @return the chunks of a planned schedule that wait for their devices, in their order; empty
   *     once no chunk is in progress
   */
  private List<Chunk> awaitReturned() {
    synchronized (lock) {
      long drain = PendingUnits.nanos(settings.drainDeadline());
      while (!haveAllReturned()) {
        try {
          long rest = drain - progress.nanosSinceCancelled();
          long millis = TimeUnit.NANOSECONDS.toMillis(rest) + 1;
          lock.wait(
              progress.isCancelled() ? Math.min(POLL_MILLIS, Math.max(1, millis)) : POLL_MILLIS);
          if (!progress.isCancelled()) {
            checkChunks(settings.clock().nanoTime());
          } else if (rest > 0) {
            stop();
          } else {
            abandonHanging();
          }
        } catch (InterruptedException e) {
          interrupted = true;
          if (progress.cancel()) {
            fail(
                -1, new ScatterException("interrupted while " + what + "s were in progress", null));
          }
          stop();
        }
      }
      return inProgress.stream().sorted(Comparator.comparingInt(chunk -> chunk.index)).toList();
    }
  }

  private boolean haveAllReturned() {
    return inProgress.stream().allMatch(chunk -> chunk.state == Chunk.State.RETURNED);
  }

  /** Waits for the devices of chunks whose tasks have returned, and starts the next chunks. */
  private void finish(List<Chunk> returned) {
    for (Chunk chunk : returned) {
      laneOf(chunk).finish(chunk);
    }
    synchronized (lock) {
      long now = settings.clock().nanoTime();
      for (Chunk chunk : returned) {
        laneOf(chunk).chunk = null;
        settle(chunk, now);
        settings.clock().ended();
      }
    }
    start(assign(null));
  }

  private Lane laneOf(Chunk chunk) {
    return lanes.stream().filter(lane -> lane.chunk == chunk).findFirst().orElseThrow();
  }

  /** Takes the results of a chunk, or keeps them while the CPU may run its units again. */
  void takeResults(TileContext context) {
    if (isPlanned && onCpu != null) {
      kept.add(context);
    } else {
      context.takeResults();
      context.end();
    }
  }

  private void abandonHanging() {
    for (Chunk chunk : List.copyOf(inProgress)) {
      if (chunk.state == Chunk.State.RUNNING) {
        chunk.state = Chunk.State.ABANDONED;
        inProgress.remove(chunk);
        fail(
            Integer.MAX_VALUE,
            new ScatterException(
                what
                    + " "
                    + chunk.tile()
                    + " did not end within "
                    + settings.drainDeadline()
                    + " of being cancelled; the worker of its device stays busy until it ends",
                null));
      }
    }
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
      start(assign(null));
      waiting.member.overdueChunks--;
    }
    if (waiting != null || settings.clock().mayAssignWhileWaiting()) {
      // The device for which the scheduler held units back may have stopped since.
      start(assign(null));
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
      scheduler.releaseOrdered(chunk.member.ordinal);
      start(assign(null));
    }
  }

  /**
   * Assigns all chunks that can be assigned to lanes.
   *
   * @param own the lane of the calling thread, which continues with its next chunk itself
   * @return the chunks to start
   */
  private List<Chunk> assign(@Nullable Lane own) {
    synchronized (lock) {
      if (closed.getAsBoolean() && !scheduler.isAllAssigned() && !stopped) {
        fail(-1, Workers.closedMeanwhile());
      }
      if (stopped || progress.isCancelled()) {
        return List.of();
      }
      List<Chunk> chunks = scheduler.assign(settings.clock().nanoTime());
      for (Chunk chunk : chunks) {
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
      }
      return chunks;
    }
  }

  /** Submits chunks to the threads of their lanes. */
  private void start(List<Chunk> chunks) {
    for (Chunk chunk : chunks) {
      Lane lane;
      synchronized (lock) {
        if (chunk.state != Chunk.State.QUEUED || chunk.ownThread) {
          continue;
        }
        lane = laneOf(chunk);
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
  }

  private void fail(int index, Throwable cause) {
    synchronized (lock) {
      failures.add(new Failure(index, cause, true));
      progress.cancel();
      stop();
    }
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
   * Records that a lane's thread is done with its chunk. Under a guided schedule, assigns further
   * chunks.
   *
   * @return the chunk that the lane runs next; null if there is none
   */
  @Nullable Chunk returned(Lane lane, Chunk chunk) {
    synchronized (lock) {
      if (isPlanned && chunk.state == Chunk.State.RUNNING) {
        chunk.state = Chunk.State.RETURNED;
        if (haveAllReturned()) {
          lock.notifyAll();
        }
        return null;
      }
    }
    if (isPlanned) {
      lane.drop(chunk);
    }
    return ended(lane, chunk);
  }

  private @Nullable Chunk ended(Lane lane, Chunk chunk) {
    Chunk next;
    boolean abandoned;
    boolean close;
    synchronized (lock) {
      lane.chunk = null;
      abandoned = chunk.state == Chunk.State.ABANDONED;
      if (abandoned) {
        chunk.member.overdueChunks--;
      } else {
        settle(chunk, settings.clock().nanoTime());
      }
      close = concluded;
      if (!concluded) {
        start(assign(lane));
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
      endAbandoned(lane, chunk, chunk.failure, close);
    }
    return next;
  }

  private void endAbandoned(Lane lane, Chunk chunk, @Nullable Throwable failure, boolean close) {
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
        what + " " + chunk.tile() + " ended after its scatter had stopped waiting for it",
        all);
  }

  private void settle(Chunk chunk, long now) {
    Throwable failure = chunk.failure;
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
      scheduler.halved(chunk, now);
    } else if (member.chunks > 1) {
      member.lanes = 1;
      scheduler.dropped(chunk, piece.again(), now);
    } else {
      note(chunk, failure);
      scheduler.dropped(chunk, piece.elsewhere(member.ordinal, false), now);
      takeOut(member, isPlanned && settings.failurePolicy() == FailurePolicy.ALL_ON_CPU);
    }
  }

  private void reassign(Chunk chunk, GpuException failure, long now) {
    note(chunk, failure);
    Member member = chunk.member;
    scheduler.dropped(chunk, chunk.piece.elsewhere(member.ordinal, true), now);
    boolean fatal = failure instanceof FatalDeviceException;
    boolean moves = !isPlanned || settings.failurePolicy() == FailurePolicy.MOVE_TILE;
    if (!fatal && moves) {
      quarantine.add(member.ordinal);
    }
    takeOut(member, fatal || !moves || (isPlanned && chunk.piece.failures() > 0));
  }

  private void takeOut(Member member, boolean andOthers) {
    scheduler.takeOut(member);
    if (andOthers) {
      scheduler.takeOutDevices();
    }
  }

  private void note(Chunk chunk, GpuException failure) {
    Piece piece = chunk.piece;
    reasons.add(
        piece.failures() == 0
            ? what + " " + chunk.tile() + " failed: " + failure
            : "units ["
                + piece.from()
                + ", "
                + piece.to()
                + ") failed on two devices, and on device "
                + chunk.member.ordinal
                + " as follows: "
                + failure);
    failures.add(new Failure(chunk.index, failure, false));
  }

  /**
   * Ends the run: throws failures, lets the CPU run the remaining units, and creates the report.
   */
  private ScatterReport conclude(@Nullable Throwable closing) {
    // Recorded even if the run fails, because a run that resumes it starts from these rates.
    recordRates();
    failures.sort(Comparator.comparingInt(Failure::index));
    if (failures.stream().anyMatch(Failure::isThrown)) {
      throw userFailure(closing);
    }
    String reason = "";
    List<Piece> unfinished = scheduler.drain();
    if (!unfinished.isEmpty()) {
      GpusFailedException why = gpusFailed();
      Throwable cause = why.getCause();
      if (closing != null && cause != null) {
        Failures.suppress(cause, closing);
      }
      reason = why.reason();
      takeOver(isPlanned ? left : unfinished, why);
    } else if (closing instanceof GpuException) {
      // Not thrown: all units are done, and the caller would run them again.
      LOGGER.log(Level.WARNING, "a stream of a scatter cannot be closed", closing);
    } else if (closing != null) {
      throw Failures.unchecked("closing streams", closing);
    }
    List<Tile> done = done();
    boolean cpuAlone =
        !done.isEmpty() && done.stream().allMatch(each -> each.ordinal() == Tile.CPU);
    if (isPlanned && !cpuAlone) {
      // Only now, because after a failure the CPU would have run all units again.
      kept.forEach(TileContext::takeResults);
      done.forEach(this::reportDone);
    }
    return new ScatterReport(
        cpuAlone ? List.of() : done,
        cpuAlone,
        reason,
        halvings,
        scheduler.moves(),
        runs,
        settings.clock().nanoTime() - start);
  }

  /** Returns the units that are done, in their order. Halves of a planned tile are one again. */
  private List<Tile> done() {
    List<ChunkRun> sorted =
        runs.stream()
            .filter(run -> run.outcome() == ChunkRun.Outcome.DONE)
            .sorted(Comparator.comparingLong(run -> run.tile().from()))
            .toList();
    List<Tile> tiles = new ArrayList<>();
    int last = Piece.NEXT;
    for (ChunkRun run : sorted) {
      Tile tile = run.tile();
      Tile before = tiles.isEmpty() ? null : tiles.get(tiles.size() - 1);
      if (before != null && run.index() == last && before.ordinal() == tile.ordinal()) {
        tiles.set(tiles.size() - 1, new Tile(tile.ordinal(), before.from(), tile.to()));
      } else {
        tiles.add(tile);
      }
      last = run.index();
    }
    return tiles;
  }

  private void recordRates() {
    for (Member member : scheduler.members) {
      if (!isPlanned && member.speed.isKnown()) {
        settings.history().put(schedule.kind(), member.device, member.speed.rate() * 1e9);
      }
    }
  }

  private RuntimeException userFailure(@Nullable Throwable closing) {
    List<Throwable> thrown =
        failures.stream().filter(Failure::isThrown).map(Failure::cause).toList();
    // An error takes precedence: the exceptions may result from the cancellation that it caused.
    Throwable primary =
        thrown.stream().filter(each -> each instanceof Error).findFirst().orElse(thrown.get(0));
    failures.forEach(each -> Failures.suppress(primary, each.cause()));
    Failures.suppress(primary, closing);
    return Failures.unchecked("a " + what, primary);
  }

  private GpusFailedException gpusFailed() {
    List<GpuException> causes = failures.stream().map(each -> (GpuException) each.cause()).toList();
    GpuException worst =
        causes.stream()
            .filter(each -> each instanceof FatalDeviceException)
            .findFirst()
            .orElse(causes.isEmpty() ? null : causes.get(0));
    if (worst != null) {
      causes.forEach(each -> Failures.suppress(worst, each));
    }
    String why = reasons.isEmpty() ? "no usable device is left" : String.join("; ", reasons);
    return new GpusFailedException(why, worst);
  }

  private void takeOver(List<Piece> unfinished, GpusFailedException why) {
    if (onCpu == null) {
      throw why.unchecked();
    }
    if (isPlanned) {
      // The results of the devices are dropped, and the CPU runs all units.
      runs.removeIf(run -> run.outcome() == ChunkRun.Outcome.DONE);
    }
    for (Piece piece : unfinished) {
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
