package org.vramkit.agent;

import org.vramkit.api.device.StreamKind;
import org.vramkit.sim.SimStream;

/** A stream. */
final class CudaStream extends CudaObject {
  static final long DEFAULT = 0;
  static final long LEGACY = 1;
  static final long PER_THREAD = 2;

  private static final int NON_BLOCKING = 1;
  private static final int HIGHEST_PRIORITY = -5;

  final SimStream stream;
  final int flags;
  final int priority;

  CudaStream(CudaContext context, long handle, SimStream stream, int flags, int priority) {
    super(context, handle);
    this.stream = stream;
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

  static int highestPriority() {
    return HIGHEST_PRIORITY;
  }

  @Override
  void destroy() {
    context.process.remove(handle);
    stream.close();
  }

  /** Queues a host function of the program, in which it may call almost nothing. */
  void callHost(String name, Runnable function) {
    stream.callHost(name, () -> CudaThread.current().inHostFunction(function));
  }

  /** Refuses a call while there is work that is not done. */
  void requireIdle() {
    CudaError.require(stream.isIdle(), CudaError.NOT_READY);
  }
}
