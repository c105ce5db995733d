package org.vramkit.agent;

import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.StreamKind;
import org.vramkit.sim.SimDevice.CaptureState;
import org.vramkit.sim.SimStream;

/** A stream. */
final class CudaStream extends CudaObject {
  static final long DEFAULT = 0;
  static final long LEGACY = 1;
  static final long PER_THREAD = 2;

  /** The number of the default stream, which is that of the first context of a driver. */
  private static final long DEFAULT_ID = 7;

  private static final int NON_BLOCKING = 1;
  private static final int HIGHEST_PRIORITY = -5;

  final SimStream stream;

  /** The number of the stream among those of the process. */
  private final long id;

  final int flags;
  final int priority;

  /** The capture that records the stream; null for none. */
  volatile @Nullable CudaCapture capture;

  CudaStream(CudaContext context, long handle, SimStream stream, int flags, int priority) {
    super(context, handle);
    this.stream = stream;
    this.id = context.process.newId();
    this.flags = flags;
    this.priority = priority;
  }

  /** Creates a stream; priorities beyond the range are those at its ends. */
  static CudaStream create(CudaContext context, int flags, int priority) {
    CudaError.require((flags & ~NON_BLOCKING) == 0, CudaError.INVALID_VALUE);
    StreamKind kind = flags == NON_BLOCKING ? StreamKind.NON_BLOCKING : StreamKind.BLOCKING;
    CudaStream made =
        new CudaStream(
            context,
            context.process.newHandle(),
            context.device.createStream(kind),
            flags,
            Math.max(HIGHEST_PRIORITY, Math.min(0, priority)));
    context.process.add(made.handle, made);
    return made;
  }

  long getId() {
    return handle == DEFAULT ? DEFAULT_ID : id;
  }

  static int highestPriority() {
    return HIGHEST_PRIORITY;
  }

  @Override
  void destroy() {
    context.process.remove(handle);
    CudaCapture left = capture;
    if (left != null) {
      left.remove(this);
    }
    stream.close();
  }

  /** Calls a host function of the program, in which it may call almost nothing. */
  static CudaWork hostWork(String name, Runnable function) {
    Runnable body = () -> CudaThread.current().inHostFunction(function);
    return new CudaWork(CudaWork.HOST, false, stream -> stream.callHost(name, body));
  }

  /** Submits work, which becomes a node if the stream is captured. */
  void submit(CudaWork work) {
    work.submission().accept(stream);
    CudaCapture capturing = capture;
    if (capturing != null) {
      capturing.add(this, work);
    }
  }

  void waitFor(CudaEvent event) {
    stream.waitFor(event.event);
    CudaCapture.Mark mark = event.mark;
    if (mark != null) {
      mark.capture().follow(this, mark);
    }
  }

  void beginCapture(int mode) {
    context.device.beginCapture(stream, mode);
    capture = new CudaCapture(this);
  }

  CudaGraph endCapture() {
    CudaCapture ended = CudaError.found(capture, CudaError.ILLEGAL_STATE);
    try {
      ended.graph.setCaptured(context.device.getGraphs().endCapture(stream));
    } finally {
      // The simulator's capture may have ended with a refusal.
      if (context.device.getCaptureState(stream) == CaptureState.NONE) {
        ended.end();
      }
    }
    return ended.graph;
  }

  /** Refuses a call while there is work that is not done. */
  void requireIdle() {
    CudaError.require(stream.isIdle(), CudaError.NOT_READY);
  }
}
