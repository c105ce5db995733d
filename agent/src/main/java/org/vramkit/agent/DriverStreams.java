package org.vramkit.agent;

import org.jspecify.annotations.Nullable;
import org.vramkit.agent.Arguments.Binding;
import org.vramkit.agent.Arguments.Call;
import org.vramkit.agent.Arguments.HostCallback;
import org.vramkit.agent.Arguments.Result;
import org.vramkit.sim.SimDevice.CaptureState;

/** The driver: streams, events, host functions, captured graphs. */
final class DriverStreams {
  private static final int MOST_CAPTURE_MODES = 2;

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

  static void cuStreamGetFlags(long stream, Result flags) {
    flags.set(stream(stream).flags);
  }

  static void cuStreamGetCtx(long stream, Result context) {
    context.set(stream(stream).context.handle);
  }

  static void cuStreamGetDevice(long stream, Result device) {
    device.set(stream(stream).context.device.getOrdinal());
  }

  static void cuStreamGetId(long stream, Result id) {
    id.set(stream(stream).stream.getHandle());
  }

  static void cuStreamQuery(long stream) {
    stream(stream).requireIdle();
  }

  static void cuStreamSynchronize(long stream) {
    stream(stream).stream.synchronize();
  }

  static void cuStreamWaitEvent(long stream, long event, int flags) {
    CudaError.require((flags & ~1) == 0, CudaError.INVALID_VALUE);
    stream(stream).waitFor(event(event));
  }

  static void cuStreamAddCallback(
      Call call, long stream, HostCallback callback, @Nullable Object data, int flags) {
    CudaError.require(flags == 0, CudaError.INVALID_VALUE);
    CudaStream on = stream(stream);
    if (on.capture != null) {
      on.context.device.invalidateCapture(on.stream);
      throw new CudaError(CudaError.CAPTURE_UNSUPPORTED);
    }
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
    CudaError.require((flags & ~1) == 0, CudaError.INVALID_VALUE);
    // An external record means something in a capture only.
    CudaError.require(flags == 0, CudaError.ILLEGAL_STATE);
    event(event).record(stream(stream));
  }

  static void cuEventQuery(long event) {
    event(event).requireComplete();
  }

  static void cuEventSynchronize(long event) {
    event(event).event.synchronize();
  }

  static void cuEventDestroy(long event) {
    event(event).destroy();
  }

  static void cuEventElapsedTime(Call call, Result millis, long start, long end) {
    if (call.binding() == Binding.JCUDA) {
      // It writes its result after a failure, too.
      millis.set(0f);
    }
    millis.set(CudaEvent.elapsed(event(start), event(end)));
  }

  // ---- captures ----

  static void cuStreamBeginCapture(long stream, int mode) {
    CudaError.require(mode >= 0 && mode <= MOST_CAPTURE_MODES, CudaError.INVALID_VALUE);
    stream(stream).beginCapture(mode);
  }

  /** Exchanges the mode of the thread, which allows or refuses calls while it captures. */
  static void cuThreadExchangeStreamCaptureMode(CudaPointer mode) {
    int given = mode.readInt();
    CudaError.require(given >= 0 && given <= MOST_CAPTURE_MODES, CudaError.INVALID_VALUE);
    mode.write(CudaThread.current().exchangeCaptureMode(given));
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
    CudaGraph captured = stream(stream).endCapture();
    if (graph != null) {
      graph.set(captured.handle);
    }
  }
}
