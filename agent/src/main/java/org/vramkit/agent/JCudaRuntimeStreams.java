package org.vramkit.agent;

import static org.vramkit.agent.JCudaPointers.handleOf;
import static org.vramkit.agent.JCudaPointers.requireNonNull;

import jcuda.runtime.cudaEvent_t;
import jcuda.runtime.cudaHostFn;
import jcuda.runtime.cudaStreamCallback;
import jcuda.runtime.cudaStream_t;
import org.jspecify.annotations.Nullable;

/** JCuda's runtime: streams, events, host functions. */
final class JCudaRuntimeStreams {
  private JCudaRuntimeStreams() {}

  private static CudaStream stream(@Nullable cudaStream_t stream) {
    return CudaThread.current().context().stream(handleOf(stream));
  }

  private static CudaEvent event(cudaEvent_t event) {
    return CudaEvent.of(CudaProcess.get(), handleOf(event));
  }

  private static int create(cudaStream_t stream, int flags, int priority) {
    CudaContext context = CudaThread.current().context();
    JCudaPointers.set(stream, CudaStream.create(context, flags, priority).handle);
    return 0;
  }

  static int cudaStreamCreate(cudaStream_t stream) {
    requireNonNull(stream, "stream", "cudaStreamCreate");
    return create(stream, 0, 0);
  }

  static int cudaStreamCreateWithFlags(cudaStream_t stream, int flags) {
    requireNonNull(stream, "pStream", "cudaStreamCreateWithFlags");
    return create(stream, flags, 0);
  }

  static int cudaStreamCreateWithPriority(cudaStream_t stream, int flags, int priority) {
    requireNonNull(stream, "pStream", "cudaStreamCreateWithPriority");
    return create(stream, flags, priority);
  }

  static int cudaStreamGetPriority(@Nullable cudaStream_t stream, int[] priority) {
    requireNonNull(priority, "priority", "cudaStreamGetPriority");
    priority[0] = stream(stream).priority;
    return 0;
  }

  static int cudaStreamGetFlags(@Nullable cudaStream_t stream, int[] flags) {
    requireNonNull(flags, "flags", "cudaStreamGetFlags");
    flags[0] = stream(stream).flags;
    return 0;
  }

  static int cudaStreamGetId(@Nullable cudaStream_t stream, long[] id) {
    requireNonNull(id, "streamId", "cudaStreamGetId");
    id[0] = stream(stream).stream.getHandle();
    return 0;
  }

  static int cudaStreamDestroy(@Nullable cudaStream_t stream) {
    CudaProcess.get().get(handleOf(stream), CudaStream.class, CudaError.INVALID_HANDLE).destroy();
    return 0;
  }

  static int cudaStreamWaitEvent(@Nullable cudaStream_t stream, cudaEvent_t event, int flags) {
    requireNonNull(event, "event", "cudaStreamWaitEvent");
    CudaError.require((flags & ~1) == 0, CudaError.INVALID_VALUE);
    stream(stream).stream.waitFor(event(event).event);
    return 0;
  }

  static int cudaStreamSynchronize(@Nullable cudaStream_t stream) {
    stream(stream).stream.synchronize();
    return 0;
  }

  static int cudaStreamQuery(@Nullable cudaStream_t stream) {
    stream(stream).requireIdle();
    return 0;
  }

  static int cudaStreamAddCallback(
      @Nullable cudaStream_t stream,
      cudaStreamCallback callback,
      @Nullable Object data,
      int flags) {
    requireNonNull(callback, "callback", "cudaStreamAddCallback");
    CudaError.require(flags == 0, CudaError.INVALID_VALUE);
    stream(stream).callHost("cudaStreamAddCallback", () -> callback.call(stream, 0, data));
    return 0;
  }

  static int cudaLaunchHostFunc(
      @Nullable cudaStream_t stream, cudaHostFn function, @Nullable Object data) {
    requireNonNull(function, "fn", "cudaLaunchHostFunc");
    stream(stream).callHost("cudaLaunchHostFunc", () -> function.call(data));
    return 0;
  }

  static int cudaEventCreate(cudaEvent_t event) {
    requireNonNull(event, "event", "cudaEventCreate");
    return cudaEventCreateWithFlags(event, 0);
  }

  static int cudaEventCreateWithFlags(cudaEvent_t event, int flags) {
    requireNonNull(event, "event", "cudaEventCreateWithFlags");
    JCudaPointers.set(event, CudaEvent.create(CudaThread.current().context(), flags).handle);
    return 0;
  }

  static int cudaEventRecord(cudaEvent_t event, @Nullable cudaStream_t stream) {
    requireNonNull(event, "event", "cudaEventRecord");
    event(event).record(stream(stream));
    return 0;
  }

  static int cudaEventRecordWithFlags(cudaEvent_t event, @Nullable cudaStream_t stream, int flags) {
    CudaError.require((flags & ~1) == 0, CudaError.INVALID_VALUE);
    // An external record means something in a capture only.
    CudaError.require(flags == 0, CudaError.ILLEGAL_STATE);
    return cudaEventRecord(event, stream);
  }

  static int cudaEventQuery(cudaEvent_t event) {
    requireNonNull(event, "event", "cudaEventQuery");
    event(event).requireComplete();
    return 0;
  }

  static int cudaEventSynchronize(cudaEvent_t event) {
    requireNonNull(event, "event", "cudaEventSynchronize");
    event(event).event.synchronize();
    return 0;
  }

  static int cudaEventDestroy(cudaEvent_t event) {
    requireNonNull(event, "event", "cudaEventDestroy");
    event(event).destroy();
    return 0;
  }

  static int cudaEventElapsedTime(float[] millis, cudaEvent_t start, cudaEvent_t end) {
    requireNonNull(millis, "ms", "cudaEventElapsedTime");
    requireNonNull(start, "start", "cudaEventElapsedTime");
    requireNonNull(end, "end", "cudaEventElapsedTime");
    // JCuda writes its result after a failure, too.
    millis[0] = 0;
    millis[0] = CudaEvent.elapsed(event(start), event(end));
    return 0;
  }
}
