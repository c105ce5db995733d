package org.vramkit.jcuda;

import static org.vramkit.jcuda.JCudaHandle.event;
import static org.vramkit.jcuda.JCudaHandle.stream;

import jcuda.driver.CUstream;
import jcuda.driver.JCudaDriver;
import org.vramkit.cuda.driver.Handle;
import org.vramkit.cuda.driver.StreamCalls;

/**
 * Stream calls. The default stream is an empty object, because some JCuda calls do not accept null.
 */
final class JCudaStreams implements StreamCalls {
  private final Handle defaultStream = new JCudaHandle(new CUstream());

  @Override
  public Handle getDefaultStream() {
    return defaultStream;
  }

  @Override
  public int cuStreamCreate(Handle[] stream, int flags) {
    CUstream made = new CUstream();
    int result = Results.of(() -> JCudaDriver.cuStreamCreate(made, flags));
    stream[0] = new JCudaHandle(made);
    return result;
  }

  @Override
  public int cuStreamQuery(Handle stream) {
    return Results.of(() -> JCudaDriver.cuStreamQuery(stream(stream)));
  }

  @Override
  public int cuStreamSynchronize(Handle stream) {
    return Results.of(() -> JCudaDriver.cuStreamSynchronize(stream(stream)));
  }

  @Override
  public int cuStreamWaitEvent(Handle stream, Handle event) {
    return Results.of(() -> JCudaDriver.cuStreamWaitEvent(stream(stream), event(event), 0));
  }

  @Override
  public int cuStreamDestroy(Handle stream) {
    return Results.of(() -> JCudaDriver.cuStreamDestroy(stream(stream)));
  }
}
