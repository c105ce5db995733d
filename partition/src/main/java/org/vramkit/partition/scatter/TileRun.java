package org.vramkit.partition.scatter;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.HostEdge;
import org.vramkit.api.error.Batch;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.GpuException;
import org.vramkit.partition.plan.Tile;

/**
 * One tile on one device: run by the device's worker, then finished by the thread that called the
 * scatter. The latch publishes all fields, and the edge reports that order to a checker. The thread
 * that changes the state from {@link State#QUEUED} or {@link State#RUNNING} owns the fields. A
 * worker ignores a withdrawn tile, and finishes an abandoned tile without the caller.
 */
final class TileRun implements Runnable {
  private static final System.Logger LOGGER = System.getLogger(Scatter.class.getName());

  private enum State {
    /** No worker has begun it. */
    QUEUED,
    /** The worker owns the fields. */
    RUNNING,
    /** The caller owns the fields: the tile ran, or never will. */
    RETURNED,
    /** The worker owns the fields: the caller has stopped waiting. */
    ABANDONED
  }

  final Tile tile;
  final int index;
  private final Device device;
  private final DeviceBinder binder;
  private final TileResources parts;
  private final TileTask task;
  private final Progress progress;
  private final AtomicReference<State> state = new AtomicReference<>(State.QUEUED);
  private final HostEdge edge;
  private final CountDownLatch returned = new CountDownLatch(1);

  /** The piece whose task runs, or whose device work is awaited next. */
  private @Nullable TileContext last;

  /** The pieces whose results are not taken over yet, in the order of units. */
  private final List<TileContext> complete = new ArrayList<>();

  private @Nullable Throwable failure;

  /** True if units were left out, because the tile was withdrawn or the scatter cancelled. */
  private boolean skipped;

  private long beganNanos;
  private long endedNanos;

  TileRun(
      Tile tile, int index, Device device, DeviceBinder binder, TileTask task, Progress progress) {
    this(tile, index, device, binder, TileResources.NONE, task, progress);
  }

  TileRun(
      Tile tile,
      int index,
      Device device,
      DeviceBinder binder,
      TileResources parts,
      TileTask task,
      Progress progress) {
    this.parts = parts;
    this.binder = binder;
    this.tile = tile;
    this.index = index;
    this.device = device;
    this.task = task;
    this.progress = progress;
    this.edge = device.createHostEdge();
    edge.publish();
  }

  @Override
  public void run() {
    if (!state.compareAndSet(State.QUEUED, State.RUNNING)) {
      return;
    }
    edge.receive();
    beganNanos = System.nanoTime();
    try {
      runBound();
    } catch (Throwable e) {
      // The scatter throws it on its caller's thread.
      failure = e;
      if (!(e instanceof GpuException)) {
        progress.cancel();
      }
    }
    edge.publish();
    if (state.compareAndSet(State.RUNNING, State.RETURNED)) {
      returned.countDown();
    } else {
      finishAbandoned();
    }
  }

  private void finishAbandoned() {
    finish();
    end();
    LOGGER.log(
        failure == null ? System.Logger.Level.INFO : System.Logger.Level.WARNING,
        "tile " + tile + " ended after its scatter had stopped waiting for it",
        failure);
  }

  private void runBound() throws Exception {
    if (progress.isCancelled()) {
      skipped = true;
      return;
    }
    binder.bound(device, this::runPieces);
  }

  /** Runs the tile, halving it repeatedly if the device has too little memory. */
  private void runPieces() throws Exception {
    ArrayDeque<Tile> pieces = new ArrayDeque<>();
    pieces.push(tile);
    while (!pieces.isEmpty()) {
      if (progress.isCancelled()) {
        skipped = true;
        return;
      }
      Tile piece = pieces.pop();
      if (last != null) {
        last.drain(ScatterClock.REAL);
        closeLast();
      }
      last = new TileContext(piece, index, device, parts, progress, new LazyStream(device));
      try {
        task.run(last);
      } catch (DeviceOutOfMemoryException e) {
        if (piece.getUnits() == 1 || progress.isCancelled()) {
          throw e;
        }
        progress.halved();
        last.dropResults();
        long middle = piece.from() + piece.getUnits() / 2;
        pieces.push(new Tile(piece.ordinal(), middle, piece.to()));
        pieces.push(new Tile(piece.ordinal(), piece.from(), middle));
      }
    }
  }

  /** Closes the stream of the current piece, and keeps the results of the piece. */
  private void closeLast() {
    TileContext context = Objects.requireNonNull(last);
    last = null;
    if (context.hasResults()) {
      complete.add(context);
    }
    context.close();
  }

  /** Skips the tile if no worker has begun it. */
  void withdraw() {
    if (state.compareAndSet(State.QUEUED, State.RETURNED)) {
      skipped = true;
      returned.countDown();
    }
  }

  /** Fails the tile because it could not be submitted, unless a worker has begun it. */
  void refuse(Throwable reason) {
    if (state.compareAndSet(State.QUEUED, State.RETURNED)) {
      failure = reason;
      progress.cancel();
      returned.countDown();
    }
  }

  /**
   * Leaves the tile to its worker, which finishes it when the task returns. Its results must not be
   * read afterwards.
   *
   * @return false if the task has returned
   */
  boolean abandon() {
    return state.compareAndSet(State.RUNNING, State.ABANDONED);
  }

  boolean hasReturned() {
    return returned.getCount() == 0;
  }

  /** Waits at most {@code nanos} for the task to return. */
  void awaitReturn(long nanos) throws InterruptedException {
    returned.await(nanos, TimeUnit.NANOSECONDS);
  }

  /**
   * Waits for the device and closes the stream, after the worker has returned. Never throws,
   * because later tiles must be finished too; an exception becomes the failure of the tile.
   */
  void finish() {
    edge.receive();
    if (last != null) {
      try {
        last.drain(ScatterClock.REAL);
      } catch (Throwable e) {
        failure = Failures.join(failure, e);
      }
      try {
        closeLast();
      } catch (Throwable e) {
        failure = Failures.join(failure, e);
      }
    }
    endedNanos = System.nanoTime();
  }

  /** Takes the results of all pieces over. */
  void takeResults() {
    complete.forEach(TileContext::takeResults);
  }

  /** Ends the pieces; results that were not taken over are dropped. */
  void end() {
    Batch.forEach(complete, TileContext::end);
  }

  /**
   * Returns the outcome of a finished tile.
   *
   * @param start start of the scatter in nanoseconds
   */
  ChunkRun report(int attempt, long start) {
    ChunkRun.Outcome outcome =
        failure == null
            ? ChunkRun.Outcome.DONE
            : failure instanceof DeviceOutOfMemoryException
                ? ChunkRun.Outcome.OUT_OF_MEMORY
                : ChunkRun.Outcome.FAILED;
    return new ChunkRun(index, tile, attempt, beganNanos - start, endedNanos - start, outcome);
  }

  /** Returns the failure; null on success. */
  @Nullable Throwable failure() {
    return failure;
  }

  /** Returns the failure if the GPU caused it; otherwise null. */
  @Nullable GpuException gpuFailure() {
    return failure instanceof GpuException gpu ? gpu : null;
  }

  /** Returns whether the task ran for all units without a failure so far. */
  boolean isDone() {
    return !skipped && failure == null && hasReturned();
  }
}
