package org.vramkit.agent;

import org.jspecify.annotations.Nullable;
import org.vramkit.agent.Arguments.Call;
import org.vramkit.agent.Arguments.HostCallback;
import org.vramkit.agent.Arguments.Result;
import org.vramkit.sim.SimDevice.CaptureState;

/** The driver: streams, events, host functions, captured graphs. */
final class DriverStreams {
  private static final int MOST_CAPTURE_MODES = 2;

  /** The flag of records and waits that are nodes of a graph. */
  private static final int EXTERNAL = 1;

  private DriverStreams() {}

  static CudaStream stream(long stream) {
    return CudaThread.current().context().stream(stream);
  }

  private static CudaEvent event(long event) {
    return CudaEvent.of(CudaProcess.get(), event);
  }

  static void cuStreamCreate(Result stream, int flags, int priority) {
    CudaContext context = CudaThread.current().context();
    stream.set(CudaStream.create(context, flags, priority).handle);
  }

  static void cuStreamDestroy(long stream) {
    CudaProcess.get().get(stream, CudaStream.class, CudaError.INVALID_HANDLE).destroy();
  }

  static void cuStreamGetPriority(long stream, Result priority) {
    priority.set(stream(stream).priority);
  }

  /** Returns a stream, which calls that no graph can have refuse while it is captured. */
  static CudaStream uncaptured(long stream) {
    CudaStream on = stream(stream);
    if (on.capture != null) {
      on.context.device.invalidateCapture(on.stream);
      throw new CudaError(CudaError.CAPTURE_UNSUPPORTED);
    }
    return on;
  }

  static void cuStreamGetFlags(long stream, Result flags) {
    flags.set(uncaptured(stream).flags);
  }

  static void cuStreamGetCtx(long stream, Result context) {
    context.set(stream(stream).context.handle);
  }

  static void cuStreamGetDevice(long stream, Result device) {
    device.set(uncaptured(stream).context.device.getOrdinal());
  }

  static void cuStreamGetId(long stream, Result id) {
    id.set(uncaptured(stream).getId());
  }

  static void cuStreamQuery(long stream) {
    uncaptured(stream).requireIdle();
  }

  static void cuStreamSynchronize(long stream) {
    uncaptured(stream).stream.synchronize();
  }

  static void cuStreamWaitEvent(long stream, long event, int flags) {
    CudaError.require((flags & ~EXTERNAL) == 0, CudaError.INVALID_VALUE);
    CudaStream on = stream(stream);
    CudaEvent waited = event(event);
    requireInternal(on, flags);
    on.waitFor(waited);
  }

  static void cuStreamAddCallback(
      Call call, long stream, HostCallback callback, @Nullable Object data, int flags) {
    CudaError.require(flags == 0, CudaError.INVALID_VALUE);
    CudaStream on = uncaptured(stream);
    on.submit(CudaStream.hostWork(call.row().function(), () -> callback.call(stream, data)));
  }

  static void cuLaunchHostFunc(
      Call call, long stream, HostCallback function, @Nullable Object data) {
    CudaWork work = CudaStream.hostWork(call.row().function(), () -> function.call(stream, data));
    stream(stream).submit(work);
  }

  // ---- events ----

  static void cuEventCreate(Result event, int flags) {
    event.set(CudaEvent.create(CudaThread.current().context(), flags).handle);
  }

  static void cuEventRecord(long event, long stream, int flags) {
    CudaEvent recorded = event(event);
    CudaError.require((flags & ~EXTERNAL) == 0, CudaError.INVALID_VALUE);
    CudaStream on = stream(stream);
    requireInternal(on, flags);
    recorded.record(on);
  }

  /** Refuses an external wait or record, which means something in a capture only. */
  private static void requireInternal(CudaStream on, int flags) {
    if (flags == EXTERNAL && on.capture != null) {
      throw new UnsupportedOperationException("nodes of graphs for events are not simulated");
    }
    CudaError.require(flags == 0, CudaError.ILLEGAL_STATE);
  }

  static void cuEventQuery(long event) {
    event(event).requireComplete();
  }

  static void cuEventSynchronize(long event) {
    event(event).synchronize();
  }

  static void cuEventDestroy(long event) {
    event(event).destroy();
  }

  static void cuEventElapsedTime(@Nullable Result millis, long start, long end) {
    Result given = CudaError.found(millis, CudaError.INVALID_HANDLE);
    given.set(CudaEvent.elapsed(event(start), event(end)));
  }

  static void cudaEventElapsedTime(Result millis, long start, long end) {
    cuEventElapsedTime(millis, start, end);
  }

  // ---- captures ----

  static void cuStreamBeginCapture(long stream, int mode) {
    CudaError.require(mode >= 0 && mode <= MOST_CAPTURE_MODES, CudaError.INVALID_VALUE);
    CudaStream on = stream(stream);
    CudaError.require(on.capture == null, CudaError.ILLEGAL_STATE);
    on.beginCapture(mode);
  }

  /** Exchanges the mode of the thread, any number, which allows calls while it captures. */
  static void cuThreadExchangeStreamCaptureMode(CudaPointer mode) {
    mode.write(CudaThread.current().exchangeCaptureMode(mode.readInt()));
  }

  static void cuStreamIsCapturing(long stream, Result status) {
    CudaStream on = stream(stream);
    status.set(
        switch (on.context.device.getCaptureState(on.stream)) {
          case NONE -> 0;
          case ACTIVE -> 1;
          case INVALIDATED -> 2;
          case IMPLICIT -> throw new CudaError(CudaError.CAPTURE_IMPLICIT);
        });
  }

  static void cuStreamGetCaptureInfo(
      long stream,
      Result status,
      @Nullable Result id,
      @Nullable Result graph,
      @Nullable CudaPointer dependencies,
      @Nullable CudaPointer edges,
      @Nullable Result count) {
    cuStreamIsCapturing(stream, status);
    CudaStream on = stream(stream);
    CudaCapture capture = on.capture;
    if (capture == null || on.context.device.getCaptureState(on.stream) != CaptureState.ACTIVE) {
      return;
    }
    if (dependencies != null && !dependencies.isNull()) {
      throw new UnsupportedOperationException(
          "cuStreamGetCaptureInfo: the list of dependencies is not simulated");
    }
    if (id != null) {
      id.set(capture.graph.handle);
    }
    if (graph != null) {
      graph.set(capture.graph.handle);
    }
    if (count != null) {
      count.set(capture.mark(on).before().size());
    }
  }

  static void cuStreamEndCapture(long stream, @Nullable Result graph) {
    if (graph != null) {
      graph.set(0);
    }
    CudaGraph captured = stream(stream).endCapture();
    if (graph != null) {
      graph.set(captured.handle);
    }
  }
}
