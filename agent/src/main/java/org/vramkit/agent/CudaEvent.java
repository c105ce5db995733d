package org.vramkit.agent;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.SimEvent;

/** An event. */
final class CudaEvent extends CudaObject {
  private static final int DISABLE_TIMING = 2;
  private static final int INTERPROCESS = 4;
  private static final int KNOWN_FLAGS = 7;
  private static final double NANOS_PER_MILLI = 1e6;

  /** The clock of the GPU, and the least time between two records on it. */
  private static final long TICK_NANOS = 32;

  private static final long BETWEEN_RECORDS_NANOS = 48 * TICK_NANOS;

  final SimEvent event;
  private final int flags;
  private volatile boolean recorded;

  /** The place in a capture where it was recorded last; null if that was outside. */
  volatile CudaCapture.@Nullable Mark mark;

  private CudaEvent(CudaContext context, long handle, SimEvent event, int flags) {
    super(context, handle);
    this.event = event;
    this.flags = flags;
  }

  static CudaEvent create(CudaContext context, int flags) {
    boolean known = (flags & ~KNOWN_FLAGS) == 0;
    boolean possible = (flags & INTERPROCESS) == 0 || (flags & DISABLE_TIMING) != 0;
    CudaError.require(known && possible, CudaError.INVALID_VALUE);
    CudaEvent made =
        new CudaEvent(context, context.process.newHandle(), context.device.createEvent(), flags);
    context.process.add(made.handle, made);
    return made;
  }

  static CudaEvent of(CudaProcess process, long handle) {
    return process.get(handle, CudaEvent.class, CudaError.INVALID_HANDLE);
  }

  @Override
  void destroy() {
    context.process.remove(handle);
    event.close();
  }

  void record(CudaStream on) {
    CudaError.require(on.context == context, CudaError.INVALID_HANDLE);
    event.record(on.stream);
    CudaCapture capture = on.capture;
    mark = capture == null ? null : capture.mark(on);
    recorded = true;
  }

  /** Refuses a call before the event; code in stream order may look at it, but not poll it. */
  void requireComplete() {
    boolean isPast =
        CudaThread.current().inHostFunction ? event.getTimeNanos() >= 0 : event.isComplete();
    CudaError.require(isPast, CudaError.NOT_READY);
  }

  /** Waits for the event; code in stream order may only find that it is past. */
  void synchronize() {
    if (!CudaThread.current().inHostFunction || event.getTimeNanos() < 0) {
      event.synchronize();
    }
  }

  /** Returns the milliseconds of virtual time between two events. */
  static float elapsed(CudaEvent start, CudaEvent end) {
    CudaError.require(start.isTimed() && end.isTimed(), CudaError.INVALID_HANDLE);
    start.requireUncaptured();
    end.requireUncaptured();
    for (CudaEvent each : List.of(start, end)) {
      if (CudaThread.current().inHostFunction) {
        each.requireComplete();
      } else {
        CudaCapture.permit(each.context.device, each::requireComplete);
      }
    }
    long from = start.event.getTimeNanos();
    long to = end.event.getTimeNanos();
    CudaError.require(from >= 0 && to >= 0, CudaError.NOT_READY);
    long nanos = (to - from) / TICK_NANOS * TICK_NANOS;
    boolean isNext = start != end && to >= from;
    return (float) ((isNext ? Math.max(nanos, BETWEEN_RECORDS_NANOS) : nanos) / NANOS_PER_MILLI);
  }

  /** Refuses an event of a capture, which is none of the GPU. */
  private void requireUncaptured() {
    CudaCapture.Mark last = mark;
    if (last != null) {
      boolean hasEnded = last.capture().hasEnded();
      throw new CudaError(hasEnded ? CudaError.INVALID_VALUE : CudaError.CAPTURED_EVENT);
    }
  }

  private boolean isTimed() {
    return recorded && (flags & DISABLE_TIMING) == 0;
  }
}
