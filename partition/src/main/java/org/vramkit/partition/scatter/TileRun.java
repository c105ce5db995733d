package org.vramkit.partition.scatter;

import java.util.ArrayDeque;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Device;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.GpuException;
import org.vramkit.partition.plan.Tile;

/**
 * One tile on one device: run by the device's worker, then finished by the thread that called the
 * scatter. The latch hands all fields over.
 */
final class TileRun implements Runnable {
  final Tile tile;
  final int index;
  private final Device device;
  private final DeviceBinder binder;
  private final TileTask task;
  private final Progress progress;
  private final CountDownLatch returned = new CountDownLatch(1);
  private @Nullable TileContext last;
  private @Nullable Throwable failure;
  private boolean skipped;

  TileRun(
      Tile tile, int index, Device device, DeviceBinder binder, TileTask task, Progress progress) {
    this.binder = binder;
    this.tile = tile;
    this.index = index;
    this.device = device;
    this.task = task;
    this.progress = progress;
  }

  @Override
  public void run() {
    try {
      runBound();
    } catch (Throwable e) {
      // Nothing is lost: the scatter throws it on its caller's thread.
      failure = e;
      if (!(e instanceof GpuException)) {
        progress.cancel();
      }
      if (e instanceof InterruptedException) {
        Thread.currentThread().interrupt();
      }
    } finally {
      returned.countDown();
    }
  }

  private void runBound() throws Exception {
    if (progress.isCancelled()) {
      skipped = true;
      return;
    }
    DeviceBinder.Binding bound = binder.bind(device);
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
      last = new TileContext(piece, index, device, progress);
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

  /** Ends it before any worker has it, because the scatter is cancelled. */
  void skip() {
    skipped = true;
    returned.countDown();
  }

  /** Ends it before it began, because no worker takes it. */
  void refuse(Throwable reason) {
    failure = reason;
    progress.cancel();
    returned.countDown();
  }

  CountDownLatch returned() {
    return returned;
  }

  /**
   * Waits for the device and gives the stream back; the worker has returned. Never throws, as tiles
   * after this one have to be finished too: what fails here is a failure of the tile.
   */
  void finish() {
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
  }

  /** What ended it, if it did not succeed. */
  @Nullable Throwable failure() {
    return failure;
  }

  /** Whether the task was called for all units and nothing failed, up to the {@link #finish}. */
  boolean isDone() {
    return !skipped && failure == null && returned.getCount() == 0;
  }
}
