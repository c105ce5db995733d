package org.vramkit.agent;

import static org.vramkit.agent.JCudaPointers.handleOf;
import static org.vramkit.agent.JCudaPointers.requireNonNull;

import jcuda.driver.CUcontext;
import jcuda.driver.CUevent;
import jcuda.driver.CUgraph;
import jcuda.driver.CUgraphExec;
import jcuda.driver.CUhostFn;
import jcuda.driver.CUstream;
import jcuda.driver.CUstreamCallback;
import org.jspecify.annotations.Nullable;

/** JCuda's driver: streams, events, host functions, captured graphs. */
final class JCudaStreams {
  private static final int MOST_CAPTURE_MODES = 2;

  private JCudaStreams() {}

  static CudaStream stream(@Nullable CUstream stream) {
    return CudaThread.current().context().stream(handleOf(stream));
  }

  private static CudaEvent event(@Nullable CUevent event) {
    return CudaEvent.of(CudaProcess.get(), handleOf(event));
  }

  static int cuStreamCreate(CUstream stream, int flags) {
    requireNonNull(stream, "phStream", "cuStreamCreate");
    CudaContext context = CudaThread.current().context();
    JCudaPointers.set(stream, CudaStream.create(context, flags, 0).handle);
    return 0;
  }

  static int cuStreamCreateWithPriority(CUstream stream, int flags, int priority) {
    requireNonNull(stream, "phStream", "cuStreamCreateWithPriority");
    CudaContext context = CudaThread.current().context();
    JCudaPointers.set(stream, CudaStream.create(context, flags, priority).handle);
    return 0;
  }

  static int cuStreamDestroy(@Nullable CUstream stream) {
    CudaProcess.get().get(handleOf(stream), CudaStream.class, CudaError.INVALID_HANDLE).destroy();
    return 0;
  }

  static int cuStreamGetPriority(@Nullable CUstream stream, int[] priority) {
    requireNonNull(priority, "priority", "cuStreamGetPriority");
    priority[0] = stream(stream).priority;
    return 0;
  }

  static int cuStreamGetFlags(@Nullable CUstream stream, int[] flags) {
    requireNonNull(flags, "flags", "cuStreamGetFlags");
    flags[0] = stream(stream).flags;
    return 0;
  }

  static int cuStreamGetCtx(@Nullable CUstream stream, CUcontext context) {
    requireNonNull(context, "pctx", "cuStreamGetCtx");
    JCudaPointers.set(context, stream(stream).context.handle);
    return 0;
  }

  static int cuStreamGetId(@Nullable CUstream stream, long[] id) {
    requireNonNull(id, "streamId", "cuStreamGetId");
    id[0] = stream(stream).stream.getHandle();
    return 0;
  }

  static int cuStreamQuery(@Nullable CUstream stream) {
    stream(stream).requireIdle();
    return 0;
  }

  static int cuStreamSynchronize(@Nullable CUstream stream) {
    stream(stream).stream.synchronize();
    return 0;
  }

  static int cuStreamWaitEvent(@Nullable CUstream stream, CUevent event, int flags) {
    requireNonNull(event, "hEvent", "cuStreamWaitEvent");
    CudaError.require((flags & ~1) == 0, CudaError.INVALID_VALUE);
    stream(stream).stream.waitFor(event(event).event);
    return 0;
  }

  static int cuStreamAddCallback(
      @Nullable CUstream stream, CUstreamCallback callback, @Nullable Object data, int flags) {
    requireNonNull(callback, "callback", "cuStreamAddCallback");
    CudaError.require(flags == 0, CudaError.INVALID_VALUE);
    stream(stream).callHost("cuStreamAddCallback", () -> callback.call(stream, 0, data));
    return 0;
  }

  static int cuLaunchHostFunc(@Nullable CUstream stream, CUhostFn function, @Nullable Object data) {
    requireNonNull(function, "fn", "cuLaunchHostFunc");
    stream(stream).callHost("cuLaunchHostFunc", () -> function.call(data));
    return 0;
  }

  // ---- events ----

  static int cuEventCreate(CUevent event, int flags) {
    requireNonNull(event, "phEvent", "cuEventCreate");
    JCudaPointers.set(event, CudaEvent.create(CudaThread.current().context(), flags).handle);
    return 0;
  }

  static int cuEventRecord(CUevent event, @Nullable CUstream stream) {
    requireNonNull(event, "hEvent", "cuEventRecord");
    event(event).record(stream(stream));
    return 0;
  }

  static int cuEventRecordWithFlags(CUevent event, @Nullable CUstream stream, int flags) {
    CudaError.require((flags & ~1) == 0, CudaError.INVALID_VALUE);
    // An external record means something in a capture only.
    CudaError.require(flags == 0, CudaError.ILLEGAL_STATE);
    return cuEventRecord(event, stream);
  }

  static int cuEventQuery(CUevent event) {
    requireNonNull(event, "hEvent", "cuEventQuery");
    event(event).requireComplete();
    return 0;
  }

  static int cuEventSynchronize(CUevent event) {
    requireNonNull(event, "hEvent", "cuEventSynchronize");
    event(event).event.synchronize();
    return 0;
  }

  static int cuEventDestroy(CUevent event) {
    requireNonNull(event, "hEvent", "cuEventDestroy");
    event(event).destroy();
    return 0;
  }

  static int cuEventElapsedTime(float[] millis, CUevent start, CUevent end) {
    requireNonNull(millis, "pMilliseconds", "cuEventElapsedTime");
    requireNonNull(start, "hStart", "cuEventElapsedTime");
    requireNonNull(end, "hEnd", "cuEventElapsedTime");
    // JCuda writes its result after a failure, too.
    millis[0] = 0;
    millis[0] = CudaEvent.elapsed(event(start), event(end));
    return 0;
  }

  // ---- captured graphs ----

  static int cuStreamBeginCapture(@Nullable CUstream stream, int mode) {
    CudaError.require(mode >= 0 && mode <= MOST_CAPTURE_MODES, CudaError.INVALID_VALUE);
    CudaStream on = stream(stream);
    on.context.device.getGraphs().beginCapture(on.stream);
    return 0;
  }

  static int cuStreamIsCapturing(@Nullable CUstream stream, int[] status) {
    requireNonNull(status, "captureStatus", "cuStreamIsCapturing");
    CudaStream on = stream(stream);
    status[0] = on.context.device.getGraphs().isCapturing(on.stream) ? 1 : 0;
    return 0;
  }

  static int cuStreamEndCapture(@Nullable CUstream stream, CUgraph graph) {
    requireNonNull(graph, "phGraph", "cuStreamEndCapture");
    CudaStream on = stream(stream);
    JCudaPointers.set(
        graph,
        CudaGraph.captured(on.context, on.context.device.getGraphs().endCapture(on.stream)).handle);
    return 0;
  }

  static int cuGraphInstantiate(CUgraphExec executable, CUgraph graph, long flags) {
    requireNonNull(executable, "phGraphExec", "cuGraphInstantiate");
    requireNonNull(graph, "hGraph", "cuGraphInstantiate");
    if (flags != 0) {
      throw new UnsupportedOperationException(
          "cuGraphInstantiate: the flags " + flags + " are not simulated");
    }
    JCudaPointers.set(executable, CudaGraph.of(handleOf(graph), false).instantiate().handle);
    return 0;
  }

  static int cuGraphLaunch(CUgraphExec executable, @Nullable CUstream stream) {
    requireNonNull(executable, "hGraphExec", "cuGraphLaunch");
    CudaGraph.of(handleOf(executable), true).graph.launch(stream(stream).stream);
    return 0;
  }

  static int cuGraphExecDestroy(CUgraphExec executable) {
    requireNonNull(executable, "hGraphExec", "cuGraphExecDestroy");
    CudaGraph.of(handleOf(executable), true).destroy();
    return 0;
  }

  static int cuGraphDestroy(CUgraph graph) {
    requireNonNull(graph, "hGraph", "cuGraphDestroy");
    CudaGraph.of(handleOf(graph), false).destroy();
    return 0;
  }
}
