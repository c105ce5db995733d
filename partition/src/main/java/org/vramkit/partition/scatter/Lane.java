package org.vramkit.partition.scatter;

import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.HostEdge;
import org.vramkit.api.error.Batch;
import org.vramkit.api.error.GpuException;

/**
 * One of the two worker threads of a member of a scatter (a device or the CPU), with a stream if
 * the member is a device. Runs one {@link Chunk} of units at a time; meanwhile the other lane can
 * run the next.
 */
final class Lane implements Runnable {
  final Member member;
  final int number;
  private final GuidedRun run;
  private final HostEdge edge;
  private final @Nullable LazyStream stream;

  /** The queued or running chunk. Guarded by the run's lock. */
  @Nullable Chunk chunk;

  Lane(Member member, int number, GuidedRun run, HostEdge edge) {
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
      Throwable failure = null;
      try {
        perform(next);
        run.reportDone(next);
      } catch (Throwable e) {
        // The run reassigns the chunk, or throws the failure on its caller's thread.
        failure = e;
        if (member.isCpu() || !(e instanceof GpuException)) {
          run.progress.cancel();
        }
      }
      edge.publish();
      next = run.ended(this, next, failure);
    }
  }

  private void perform(Chunk work) throws Exception {
    Device device = member.device;
    if (device == null || stream == null) {
      run.performOnCpu(work.piece);
      return;
    }
    TileContext context =
        new TileContext(
            work.tile(), work.index, device, run.settings.parts(), run.progress, stream);
    try {
      run.settings
          .binder()
          .bound(
              device,
              () -> {
                run.task.run(context);
                context.drain(run.settings.clock());
              });
      // The last step that can fail: afterwards no other device may run the units.
      context.takeResults();
    } catch (Throwable e) {
      // Wait for submitted work: it may still write the units, which another device runs next.
      Batch.after(e, () -> context.drain(ScatterClock.REAL));
      Batch.after(e, context::end);
      throw e;
    }
    context.end();
  }

  /** Closes the stream, which must be idle. */
  void close() {
    edge.receive();
    if (stream != null) {
      stream.close();
    }
  }
}
