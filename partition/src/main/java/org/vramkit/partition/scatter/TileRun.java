package org.vramkit.partition.scatter;

import java.util.ArrayDeque;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.DeviceBinding;
import org.vramkit.api.device.HostEdge;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.GpuException;
import org.vramkit.partition.plan.Tile;

/**
 * One tile on one device: run by the device's worker, then finished by the thread that called the
 * scatter. The latch hands all fields over, and the edge tells a checker of order so. The thread
 * that moves the state on from {@link State#QUEUED} or {@link State#RUNNING} has the fields to
 * itself: a worker that comes late to a tile that was withdrawn leaves it alone, and one that comes
 * back late from a tile that was abandoned finishes it.
 */
final class TileRun implements Runnable {
  private static final System.Logger LOGGER = System.getLogger(Scatter.class.getName());

  private enum State {
    /** No worker has begun it. */
    QUEUED,
    /** The worker's. */
    RUNNING,
    /** The caller's: it ran, or never will. */
    RETURNED,
    /** The worker's for good: the caller has stopped waiting for it. */
    ABANDONED
  }

  final Tile tile;
  final int index;
  private final Device device;
  private final DeviceBinder binder;
  private final DeviceParts parts;
  private final TileTask task;
  private final Progress progress;
  private final AtomicReference<State> state = new AtomicReference<>(State.QUEUED);
  private final HostEdge edge;
  private final CountDownLatch returned = new CountDownLatch(1);
  private @Nullable TileContext last;
  private @Nullable Throwable failure;
  private boolean skipped;
  private long begunNanos;
  private long endedNanos;

  TileRun(
      Tile tile, int index, Device device, DeviceBinder binder, TileTask task, Progress progress) {
    this(tile, index, device, binder, DeviceParts.NONE, task, progress);
  }

  TileRun(
      Tile tile,
      int index,
      Device device,
      DeviceBinder binder,
      DeviceParts parts,
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
    begunNanos = System.nanoTime();
    try {
      runBound();
    } catch (Throwable e) {
      // Nothing is lost: the scatter throws it on its caller's thread.
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
    LOGGER.log(
        failure == null ? System.Logger.Level.INFO : System.Logger.Level.WARNING,
        "tile " + tile + " has ended after its scatter had stopped waiting for it",
        failure);
  }

  private void runBound() throws Exception {
    if (progress.isCancelled()) {
      skipped = true;
      return;
    }
    DeviceBinding bound = binder.bind(device);
    try {
      runPieces();
    } catch (Throwable e) {
      // What the task threw must not be replaced by a device that cannot be left.
      try {
        bound.close();
      } catch (Throwable unbinding) {
        Failures.suppress(e, unbinding);
      }
      throw e;
    }
    bound.close();
  }

  /** The tile whole, or in halves of halves where the device has too little memory. */
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
        last.finish();
        last.close();
      }
      last = new TileContext(piece, index, device, parts, progress, new OwnStream(device));
      try {
        task.run(last);
      } catch (DeviceOutOfMemoryException e) {
        if (piece.getUnits() == 1 || progress.isCancelled()) {
          throw e;
        }
        progress.halved();
        long middle = piece.from() + piece.getUnits() / 2;
        pieces.push(new Tile(piece.ordinal(), middle, piece.to()));
        pieces.push(new Tile(piece.ordinal(), piece.from(), middle));
      }
    }
  }

  /** Ends it if no worker has begun it, because the scatter is cancelled. */
  void withdraw() {
    if (state.compareAndSet(State.QUEUED, State.RETURNED)) {
      skipped = true;
      returned.countDown();
    }
  }

  /** Ends it before it began, because no worker takes it; one that has it already goes on. */
  void refuse(Throwable reason) {
    if (state.compareAndSet(State.QUEUED, State.RETURNED)) {
      failure = reason;
      progress.cancel();
      returned.countDown();
    }
  }

  /**
   * Leaves it to its worker, which finishes it when the task returns. Nothing of it may be asked
   * any more.
   *
   * @return false if it has returned
   */
  boolean abandon() {
    return state.compareAndSet(State.RUNNING, State.ABANDONED);
  }

  boolean hasReturned() {
    return returned.getCount() == 0;
  }

  /** Waits for the task, so long at most. */
  void awaitReturn(long nanos) throws InterruptedException {
    returned.await(nanos, TimeUnit.NANOSECONDS);
  }

  /**
   * Waits for the device and gives the stream back; the worker has returned. Never throws, as tiles
   * after this one have to be finished too: what fails here is a failure of the tile.
   */
  void finish() {
    edge.receive();
    TileContext context = last;
    if (context != null) {
      try {
        context.finish();
      } catch (Throwable e) {
        failure = Failures.join(failure, e);
      }
      try {
        context.close();
      } catch (Throwable e) {
        failure = Failures.join(failure, e);
      }
    }
    endedNanos = System.nanoTime();
  }

  /**
   * Returns the outcome, once it is finished.
   *
   * @param start of the scatter, in nanoseconds
   */
  ChunkRun report(int attempt, long start) {
    ChunkRun.Outcome outcome =
        failure == null
            ? ChunkRun.Outcome.DONE
            : failure instanceof DeviceOutOfMemoryException
                ? ChunkRun.Outcome.OUT_OF_MEMORY
                : ChunkRun.Outcome.FAILED;
    return new ChunkRun(index, tile, attempt, begunNanos - start, endedNanos - start, outcome);
  }

  /** Returns the failure that ended it, if it did not succeed. */
  @Nullable Throwable failure() {
    return failure;
  }

  /** Returns the failure of its GPU, if it failed. */
  @Nullable GpuException gpuFailure() {
    return failure instanceof GpuException gpu ? gpu : null;
  }

  /**
   * Returns whether the task was called for all units and nothing failed, up to the {@link
   * #finish}.
   */
  boolean isDone() {
    return !skipped && failure == null && hasReturned();
  }
}
