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
 * One scatter in chunks. The {@link Dealer} says who does what; lanes do it, each on a thread of
 * its own, and a lane that has ended a chunk deals the next ones. The caller waits, and looks now
 * and then for chunks that are overdue.
 */
/*
 * Locks
 * =====
 *   lock       the dealer, the members, the states of chunks and lanes, and what became of them; held
 *              for moments, never while a task, a listener or a driver is called. Workers are given
 *              work under it.
 *   telling    calls of the listener, one range at a time
 *
 * Failures
 * ========
 *   out of memory     the device's chunks are half as large from then on; when it has one unit, and
 *                     nothing else under way, others do what is left
 *   other GPU error   the device is quarantined and out; its unfinished chunks go to the others. A
 *                     chunk that fails on a second device is tried on no third: it is named, and
 *                     left for the CPU, while the devices do the rest
 *   fatal error       all devices of the process are lost: the CPU does what is left
 *   anything else     the user's: no chunk is begun any more, those under way are waited for up to the
 *                     drain deadline, and it is thrown
 * A chunk's units are dealt again only when it has ended, or was given up as overdue: then its own
 * end does not count. So every unit counts once.
 */
final class GuidedRun {
  private static final System.Logger LOGGER = System.getLogger(Scatter.class.getName());

  /** How often the caller looks, in real time. */
  private static final long LOOK_MILLIS = 10;

  /** A failure of the user's, and where. */
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
  private final Object telling = new Object();
  private final Dealer dealer;
  private final List<Lane> lanes = new ArrayList<>();
  private final List<Chunk> underWay = new ArrayList<>();
  private final List<ChunkRun> runs = new ArrayList<>();
  private final List<Failure> failures = new ArrayList<>();
  private final List<GpuException> gpuFailures = new ArrayList<>();
  private final List<String> reasons = new ArrayList<>();
  private final long start;
  private final long deadlineNanos;
  private long finishedUnits;
  private int halvings;

  /** Nothing more is dealt. */
  private boolean stopped;

  /** The caller has stopped waiting: a lane that comes back has to close itself. */
  private boolean over;

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
    List<Piece> left = Remainder.without(schedule.finished(), units);
    this.finishedUnits = units - left.stream().mapToLong(Piece::units).sum();
    this.dealer = new Dealer(left.isEmpty() ? List.of() : members(), left, schedule, units);
    this.start = settings.pace().nanoTime();
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
          double earlier = settings.book().getRate(schedule.kind(), each.device());
          int depth = cap > 1 ? 2 : 1;
          members.add(
              new Member(
                  each.getOrdinal(), each.device(), each.score(), earlier, cap / depth, depth));
          lowest = each.score() > 0 ? each.score() : lowest;
        } else {
          reasons.add("device " + each.getOrdinal() + " has no memory for a unit");
        }
      }
    } catch (GpuException e) {
      reasons.add("the work cannot be planned: " + e);
      gpuFailures.add(e);
    }
    if (usable.getCount() == 0) {
      reasons.add("there is no usable device");
    }
    if (schedule.hasCpu()) {
      if (onCpu == null) {
        throw new InvalidArgumentException(
            "the CPU is to work as a device, and there is no CPU task; give the run one");
      }
      double earlier = settings.book().getRate(schedule.kind(), null);
      // Far less than any device, until it has shown what it can do.
      members.add(new Member(Tile.CPU, null, lowest / 16, earlier, Long.MAX_VALUE, 1));
    }
    return members;
  }

  ScatterReport run() {
    for (Member member : dealer.members) {
      Device device = member.device;
      HostEdge edge = device == null ? HostEdge.NONE : device.createHostEdge();
      edge.publish();
      for (int i = 0; i < 2; i++) {
        lanes.add(new Lane(member, i, this, edge));
      }
    }
    List<Lane> idle;
    synchronized (lock) {
      dealAndStart(null);
      awaitEnd();
      over = true;
      // The others' threads are still at work, and close them.
      idle = lanes.stream().filter(lane -> lane.chunk == null).toList();
    }
    Throwable failure = null;
    try {
      Batch.forEach(idle, Lane::close);
    } catch (RuntimeException | Error e) {
      failure = e;
    }
    if (interrupted) {
      // Not before: a backend may take an interrupt for a reason to give up its wait.
      Thread.currentThread().interrupt();
    }
    return conclude(failure);
  }

  /** Waits until nothing is under way and nothing can be dealt; the caller holds the lock. */
  private void awaitEnd() {
    long drain = Remainder.nanos(settings.drainDeadline());
    while (!underWay.isEmpty()) {
      try {
        long left = drain - progress.nanosSinceCancelled();
        long millis = TimeUnit.NANOSECONDS.toMillis(left) + 1;
        lock.wait(
            progress.isCancelled() ? Math.min(LOOK_MILLIS, Math.max(1, millis)) : LOOK_MILLIS);
        if (progress.isCancelled() && left <= 0) {
          underWay.forEach(this::abandonHanging);
          underWay.clear();
        } else {
          look(settings.pace().nanoTime());
        }
      } catch (InterruptedException e) {
        interrupted = true;
        if (progress.cancel()) {
          failures.add(
              new Failure(
                  -1, new ScatterException("interrupted while chunks were under way", null)));
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
                    + " of being cancelled; the worker of its device is busy until it does",
                null)));
  }

  /** Nothing new is begun. */
  private void stop() {
    stopped = true;
    for (Chunk chunk : List.copyOf(underWay)) {
      if (chunk.state == Chunk.State.QUEUED) {
        withdraw(chunk);
      }
    }
  }

  /** Takes a chunk from a thread that has not begun it. */
  private void withdraw(Chunk chunk) {
    chunk.state = Chunk.State.ENDED;
    underWay.remove(chunk);
    dealer.dropped(chunk, chunk.piece, settings.pace().nanoTime());
    for (Lane lane : lanes) {
      if (lane.chunk == chunk) {
        lane.chunk = null;
      }
    }
    settings.pace().ended();
  }

  /** Chunks that are overdue, or that wait for a thread that is busy elsewhere. */
  private void look(long now) {
    for (Chunk chunk : List.copyOf(underWay)) {
      if (chunk.state == Chunk.State.RUNNING && now - chunk.begunNanos > deadlineNanos) {
        late(chunk, now);
      }
    }
    Chunk waiting = stopped ? null : dealer.queuedTooLong(underWay, now);
    if (waiting != null) {
      waiting.member.stuck++;
      withdraw(waiting);
      dealAndStart(null);
      waiting.member.stuck--;
    }
    if (waiting != null || settings.pace().isDealtWhileWaiting()) {
      // A device that was to be faster may have stopped; and units kept for one device are its own.
      dealAndStart(null);
    }
  }

  private void late(Chunk chunk, long now) {
    boolean moves = task.isRepeatable() && dealer.hasOther(chunk) && !stopped;
    if (!chunk.late) {
      LOGGER.log(
          Level.WARNING,
          "chunk {0} is overdue: begun {1} ms ago, and its deadline is {2} ms; {3}",
          chunk.tile(),
          TimeUnit.NANOSECONDS.toMillis(now - chunk.begunNanos),
          TimeUnit.NANOSECONDS.toMillis(deadlineNanos),
          moves ? "others do it" : "it is waited for, until others can do it");
    }
    chunk.late = true;
    if (moves) {
      chunk.state = Chunk.State.ABANDONED;
      underWay.remove(chunk);
      chunk.member.stuck++;
      runs.add(chunk.ended(ChunkRun.Outcome.OVERDUE, start, now));
      dealer.dropped(chunk, chunk.piece.elsewhere(chunk.member.ordinal, false), now);
      dealer.unplace(chunk.member.ordinal);
      dealAndStart(null);
    }
  }

  /** Deals what can be dealt, and starts the lanes that got something, but for one's own. */
  private void dealAndStart(@Nullable Lane own) {
    if (closed.getAsBoolean() && !dealer.isAllDealt() && !stopped) {
      fail(-1, Workers.closedMeanwhile());
    }
    if (stopped || progress.isCancelled()) {
      return;
    }
    for (Chunk chunk : dealer.deal(settings.pace().nanoTime())) {
      Lane lane =
          own != null && own.chunk == null && own.member == chunk.member
              ? own
              : lanes.stream()
                  .filter(each -> each.member == chunk.member && each.chunk == null)
                  .findFirst()
                  .orElseThrow();
      lane.chunk = chunk;
      underWay.add(chunk);
      settings.pace().dealt();
      chunk.ownThread = lane == own && !workers.isWanted(lane.member.ordinal, lane.number);
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
      // Thrown once the chunks that run already have ended: no thread could be had, as a rule.
      fail(chunk.index, e);
    }
  }

  private void fail(int index, Throwable cause) {
    failures.add(new Failure(index, cause));
    progress.cancel();
    stop();
  }

  /** Returns the chunk with which a lane's thread begins; null if it was withdrawn. */
  @Nullable Chunk begin(Lane lane) {
    synchronized (lock) {
      Chunk chunk = lane.chunk;
      if (chunk == null || chunk.state != Chunk.State.QUEUED) {
        return null;
      }
      chunk.state = Chunk.State.RUNNING;
      chunk.begunNanos = settings.pace().nanoTime();
      return chunk;
    }
  }

  void performOnCpu(Piece piece) throws Exception {
    Objects.requireNonNull(onCpu).run(piece.from(), piece.to());
  }

  /** Tells of a chunk that is done, unless it counts no more. */
  void tell(Chunk chunk) {
    synchronized (lock) {
      if (chunk.state != Chunk.State.RUNNING) {
        return;
      }
      chunk.state = Chunk.State.ENDED;
    }
    tell(chunk.tile());
  }

  private void tell(Tile tile) {
    synchronized (telling) {
      finishedUnits += tile.getUnits();
      settings.listener().finished(tile, finishedUnits, units);
    }
  }

  /**
   * A lane has done with its chunk.
   *
   * @return what it does next; null if nothing
   */
  @Nullable Chunk ended(Lane lane, Chunk chunk, @Nullable Throwable failure) {
    Chunk next;
    boolean abandoned;
    boolean close;
    synchronized (lock) {
      long now = settings.pace().nanoTime();
      lane.chunk = null;
      abandoned = chunk.state == Chunk.State.ABANDONED;
      if (abandoned) {
        chunk.member.stuck--;
      } else {
        settle(chunk, failure, now);
      }
      close = over;
      if (!over) {
        dealAndStart(lane);
      }
      next = lane.chunk;
      // Goes on at once, unless another scatter waits for the thread.
      next = next != null && next.ownThread ? begin(lane) : null;
      if (underWay.isEmpty()) {
        lock.notifyAll();
      }
      settings.pace().ended();
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
        "chunk " + chunk.tile() + " has ended after its scatter had stopped waiting for it",
        all);
  }

  private void settle(Chunk chunk, @Nullable Throwable failure, long now) {
    underWay.remove(chunk);
    // What fails after that is the listener, whatever it throws.
    boolean told = chunk.state == Chunk.State.ENDED;
    chunk.state = Chunk.State.ENDED;
    if (failure == null) {
      dealer.finished(chunk, now);
      runs.add(chunk.ended(ChunkRun.Outcome.DONE, start, now));
    } else if (told || chunk.member.isCpu() || !(failure instanceof GpuException gpu)) {
      dealer.dropped(chunk, chunk.piece, now);
      fail(chunk.index, failure);
    } else if (gpu instanceof DeviceOutOfMemoryException) {
      runs.add(chunk.ended(ChunkRun.Outcome.OUT_OF_MEMORY, start, now));
      shrink(chunk, gpu, now);
    } else {
      runs.add(chunk.ended(ChunkRun.Outcome.FAILED, start, now));
      giveAway(chunk, gpu, now);
    }
  }

  private void shrink(Chunk chunk, GpuException failure, long now) {
    Member member = chunk.member;
    Piece piece = chunk.piece;
    if (piece.units() > 1) {
      halvings++;
      member.cap = Math.min(member.cap, piece.units() / 2);
      dealer.dropped(chunk, piece.again(), now);
    } else if (member.chunks > 1) {
      member.lanes = 1;
      dealer.dropped(chunk, piece.again(), now);
    } else {
      note(chunk, failure);
      dealer.dropped(chunk, piece.elsewhere(member.ordinal, false), now);
      dealer.takeOut(member);
    }
  }

  private void giveAway(Chunk chunk, GpuException failure, long now) {
    note(chunk, failure);
    Member member = chunk.member;
    dealer.dropped(chunk, chunk.piece.elsewhere(member.ordinal, true), now);
    if (failure instanceof FatalDeviceException) {
      dealer.members.stream().filter(each -> !each.isCpu()).forEach(dealer::takeOut);
    } else {
      quarantine.add(member.ordinal);
      dealer.takeOut(member);
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

  /** Everything has ended: throws, lets the CPU do what is left, and reports. */
  private ScatterReport conclude(@Nullable Throwable closing) {
    // Also where it fails: a run that goes on from there begins with what devices have shown.
    learn();
    if (!failures.isEmpty()) {
      throw usersFailure(closing);
    }
    String reason = "";
    List<Piece> left = dealer.drain();
    if (!left.isEmpty()) {
      GpusFailedException why = gpusFailed();
      Throwable cause = why.getCause();
      if (closing != null && cause != null) {
        Failures.suppress(cause, closing);
      }
      reason = why.reason();
      takeOver(left, why);
    } else if (closing != null) {
      throw Failures.unchecked("giving streams back", closing);
    }
    List<Tile> done = done();
    boolean cpuAlone =
        !done.isEmpty() && done.stream().allMatch(each -> each.ordinal() == Tile.CPU);
    return new ScatterReport(
        cpuAlone ? List.of() : done,
        cpuAlone,
        reason,
        halvings,
        dealer.moves(),
        runs,
        settings.pace().nanoTime() - start);
  }

  private List<Tile> done() {
    return runs.stream()
        .filter(run -> run.outcome() == ChunkRun.Outcome.DONE)
        .map(ChunkRun::tile)
        .sorted(Comparator.comparingLong(Tile::from))
        .toList();
  }

  private void learn() {
    for (Member member : dealer.members) {
      if (member.speed.isKnown()) {
        settings.book().put(schedule.kind(), member.device, member.speed.rate() * 1e9);
      }
    }
  }

  private RuntimeException usersFailure(@Nullable Throwable closing) {
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
    String why = reasons.isEmpty() ? "no device was left for it" : String.join("; ", reasons);
    return new GpusFailedException(why, worst);
  }

  private void takeOver(List<Piece> left, GpusFailedException why) {
    if (onCpu == null) {
      throw why.unchecked();
    }
    for (Piece piece : left) {
      long from = settings.pace().nanoTime();
      try {
        performOnCpu(piece);
        Tile tile = new Tile(Tile.CPU, piece.from(), piece.to());
        tell(tile);
        runs.add(
            new ChunkRun(
                runs.size(),
                tile,
                piece.attempts() + 1,
                from - start,
                settings.pace().nanoTime() - start,
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
