package org.vramkit.partition.scatter;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.DeviceBinding;
import org.vramkit.api.device.HostEdge;
import org.vramkit.api.error.GpuException;

/**
 * One of the places where a member works: a thread, and a stream where it is a device. Does one
 * chunk after the other, each whole before it asks for the next; a device's other lane keeps it
 * busy meanwhile.
 */
final class Lane implements Runnable {
  final Member member;
  final int number;
  private final GuidedRun run;
  private final HostEdge edge;
  private final @Nullable OwnStream stream;

  /** The chunk under way, or about to begin. Guarded by the run's lock. */
  @Nullable Chunk chunk;

  Lane(Member member, int number, GuidedRun run, HostEdge edge) {
    this.member = member;
    this.number = number;
    this.run = run;
    this.edge = edge;
    Device device = member.device;
    this.stream = device == null ? null : new OwnStream(device);
  }

  @Override
  public void run() {
    Chunk next = run.begin(this);
    while (next != null) {
      edge.receive();
      Throwable failure = null;
      try {
        perform(next);
        run.tell(next);
      } catch (Throwable e) {
        // Nothing is lost: the run does the chunk elsewhere, or throws it on its caller's thread.
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
    DeviceBinding bound = run.settings.binder().bind(device);
    TileContext context =
        new TileContext(
            work.tile(), work.index, device, run.settings.parts(), run.progress, stream);
    try {
      run.task.run(context);
      context.finish(run.settings.pace());
    } catch (Throwable e) {
      // Work that is under way may still write its units, which others are about to do.
      for (Runnable step :
          List.<Runnable>of(() -> context.drain(Pace.REAL), context::end, bound::close)) {
        try {
          step.run();
        } catch (Throwable too) {
          Failures.suppress(e, too);
        }
      }
      throw e;
    }
    context.end();
    bound.close();
  }

  /** Gives the stream back; nothing runs on it any more. */
  void close() {
    edge.receive();
    if (stream != null) {
      stream.close();
    }
  }
}
