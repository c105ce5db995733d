package org.vramkit.partition.scatter;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.HostEdge;
import org.vramkit.api.error.GpuException;

/**
 * A worker thread of a member of a scatter (a device or the CPU), with a stream if the member is a
 * device. Runs one {@link Chunk} of units at a time; meanwhile the member's other lane, if it has
 * one, can run the next.
 */
final class Lane implements Runnable {
  final Member member;
  final int number;
  private final ScatterRun run;
  private final HostEdge edge;
  private final @Nullable LazyStream stream;

  /** The queued or running chunk. Guarded by the run's lock. */
  @Nullable Chunk chunk;

  Lane(Member member, int number, ScatterRun run, HostEdge edge) {
    this.member = member;
    this.number = number;
    this.run = run;
    this.edge = edge;
    Device device = member.device;
    this.stream = device == null ? null : new LazyStream(device);
  }

  @Override
  public void run() {
    Chunk next = run.begin(this);
    while (next != null) {
      edge.receive();
      callTask(next);
      if (!run.isPlanned) {
        end(next);
        reportDone(next);
      }
      edge.publish();
      next = run.returned(this, next);
    }
  }

  private void reportDone(Chunk work) {
    if (work.failure == null) {
      try {
        run.reportDone(work);
      } catch (Throwable e) {
        failed(work, e);
      }
    }
  }

  /** Calls the task, and under a guided schedule waits for its device while that is bound. */
  private void callTask(Chunk work) {
    try {
      Device device = member.device;
      if (device == null || stream == null) {
        run.performOnCpu(work.piece);
        return;
      }
      TileContext context =
          new TileContext(
              work.tile(), work.index, device, run.settings.parts(), run.progress, stream);
      work.context = context;
      run.settings
          .binder()
          .bound(
              device,
              () -> {
                run.task.run(context);
                if (!run.isPlanned) {
                  context.drain(run.settings.clock());
                }
              });
    } catch (Throwable e) {
      failed(work, e);
    }
  }

  /** Waits for the device of a planned chunk whose task has returned, on the calling thread. */
  void finish(Chunk work) {
    edge.receive();
    TileContext context = work.context;
    if (work.failure == null && context != null) {
      try {
        context.drain(run.settings.clock());
      } catch (Throwable e) {
        failed(work, e);
      }
    }
    end(work);
    edge.publish();
  }

  /** Takes the results of a chunk whose work is complete, or ends a failed one. */
  private void end(Chunk work) {
    TileContext context = work.context;
    if (work.failure == null && context != null) {
      try {
        // The last step that can fail: afterwards no other device may run the units.
        run.takeResults(context);
        return;
      } catch (Throwable e) {
        failed(work, e);
      }
    }
    drop(work);
  }

  /** Ends a chunk without results. Waits for submitted work, which may still write its units. */
  void drop(Chunk work) {
    TileContext context = work.context;
    if (context == null) {
      return;
    }
    for (Runnable step : List.<Runnable>of(() -> context.drain(ScatterClock.REAL), context::end)) {
      try {
        step.run();
      } catch (Throwable e) {
        failed(work, e);
      }
    }
  }

  /** Notes a failure: the run reassigns the chunk, or throws the failure on its caller's thread. */
  private void failed(Chunk work, Throwable failure) {
    work.failure = Failures.join(work.failure, failure);
    if (member.isCpu() || !(failure instanceof GpuException)) {
      run.progress.cancel();
    }
  }

  /** Closes the stream, which must be idle. */
  void close() {
    edge.receive();
    if (stream != null) {
      stream.close();
    }
  }
}
