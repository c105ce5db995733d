package org.vramkit.agent;

import org.jspecify.annotations.Nullable;
import org.vramkit.agent.Arguments.Binding;
import org.vramkit.agent.Arguments.Call;
import org.vramkit.agent.Arguments.HostCallback;
import org.vramkit.agent.Arguments.Result;

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

  static int cuStreamCreate(Result stream, int flags, int priority) {
    CudaContext context = CudaThread.current().context();
    stream.set(CudaStream.create(context, flags, priority).handle);
    return 0;
  }

  static int cuStreamDestroy(long stream) {
    CudaProcess.get().get(stream, CudaStream.class, CudaError.INVALID_HANDLE).destroy();
    return 0;
  }

  static int cuStreamGetPriority(long stream, Result priority) {
    priority.set(stream(stream).priority);
    return 0;
  }

  static int cuStreamGetFlags(long stream, Result flags) {
    flags.set(stream(stream).flags);
    return 0;
  }

  static int cuStreamGetCtx(long stream, Result context) {
    context.set(stream(stream).context.handle);
    return 0;
  }

  static int cuStreamGetId(long stream, Result id) {
    id.set(stream(stream).stream.getHandle());
    return 0;
  }

  static int cuStreamQuery(long stream) {
    stream(stream).requireIdle();
    return 0;
  }

  static int cuStreamSynchronize(long stream) {
    stream(stream).stream.synchronize();
    return 0;
  }

  static int cuStreamWaitEvent(long stream, long event, int flags) {
    CudaError.require((flags & ~1) == 0, CudaError.INVALID_VALUE);
    stream(stream).stream.waitFor(event(event).event);
    return 0;
  }

  static int cuStreamAddCallback(
      Call call, long stream, HostCallback callback, @Nullable Object data, int flags) {
    CudaError.require(flags == 0, CudaError.INVALID_VALUE);
    stream(stream).callHost(call.row().function(), () -> callback.call(stream, data));
    return 0;
  }

  static int cuLaunchHostFunc(
      Call call, long stream, HostCallback function, @Nullable Object data) {
    stream(stream).callHost(call.row().function(), () -> function.call(stream, data));
    return 0;
  }

  // ---- events ----

  static int cuEventCreate(Result event, int flags) {
    event.set(CudaEvent.create(CudaThread.current().context(), flags).handle);
    return 0;
  }

  static int cuEventRecord(long event, long stream, int flags) {
    CudaError.require((flags & ~1) == 0, CudaError.INVALID_VALUE);
    // An external record means something in a capture only.
    CudaError.require(flags == 0, CudaError.ILLEGAL_STATE);
    event(event).record(stream(stream));
    return 0;
  }

  static int cuEventQuery(long event) {
    event(event).requireComplete();
    return 0;
  }

  static int cuEventSynchronize(long event) {
    event(event).event.synchronize();
    return 0;
  }

  static int cuEventDestroy(long event) {
    event(event).destroy();
    return 0;
  }

  static int cuEventElapsedTime(Call call, Result millis, long start, long end) {
    if (call.binding() == Binding.JCUDA) {
      // It writes its result after a failure, too.
      millis.set(0f);
    }
    millis.set(CudaEvent.elapsed(event(start), event(end)));
    return 0;
  }

  // ---- captured graphs ----

  static int cuStreamBeginCapture(long stream, int mode) {
    CudaError.require(mode >= 0 && mode <= MOST_CAPTURE_MODES, CudaError.INVALID_VALUE);
    CudaStream on = stream(stream);
    on.context.device.getGraphs().beginCapture(on.stream);
    return 0;
  }

  static int cuStreamIsCapturing(long stream, Result status) {
    CudaStream on = stream(stream);
    status.set(on.context.device.getGraphs().isCapturing(on.stream) ? 1 : 0);
    return 0;
  }

  static int cuStreamEndCapture(long stream, Result graph) {
    CudaStream on = stream(stream);
    graph.set(
        CudaGraph.captured(on.context, on.context.device.getGraphs().endCapture(on.stream)).handle);
    return 0;
  }

  static int cuGraphInstantiate(Result executable, long graph, long flags) {
    if (flags != 0) {
      throw new UnsupportedOperationException(
          "cuGraphInstantiate: the flags " + flags + " are not simulated");
    }
    executable.set(CudaGraph.of(graph, false).instantiate().handle);
    return 0;
  }

  static int cuGraphLaunch(long executable, long stream) {
    CudaGraph.of(executable, true).graph.launch(stream(stream).stream);
    return 0;
  }

  static int cuGraphExecDestroy(long executable) {
    CudaGraph.of(executable, true).destroy();
    return 0;
  }

  static int cuGraphDestroy(long graph) {
    CudaGraph.of(graph, false).destroy();
    return 0;
  }
}
