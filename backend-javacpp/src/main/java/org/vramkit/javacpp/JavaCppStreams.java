package org.vramkit.javacpp;

import static org.vramkit.javacpp.JavaCppHandle.event;
import static org.vramkit.javacpp.JavaCppHandle.stream;

import org.bytedeco.cuda.cudart.CUstream_st;
import org.bytedeco.cuda.global.cudart;
import org.vramkit.cuda.driver.Handle;
import org.vramkit.cuda.driver.StreamCalls;

/** Stream calls. */
final class JavaCppStreams implements StreamCalls {
  private final Handle defaultStream = new JavaCppHandle(new CUstream_st());

  @Override
  public Handle getDefaultStream() {
    return defaultStream;
  }

  @Override
  public int cuStreamCreate(Handle[] stream, int flags) {
    CUstream_st made = new CUstream_st();
    int result = cudart.cuStreamCreate(made, flags);
    stream[0] = new JavaCppHandle(made);
    return result;
  }

  @Override
  public int cuStreamQuery(Handle stream) {
    return cudart.cuStreamQuery(stream(stream));
  }

  @Override
  public int cuStreamSynchronize(Handle stream) {
    return cudart.cuStreamSynchronize(stream(stream));
  }

  @Override
  public int cuStreamWaitEvent(Handle stream, Handle event) {
    return cudart.cuStreamWaitEvent(stream(stream), event(event), 0);
  }

  @Override
  public int cuStreamDestroy(Handle stream) {
    return cudart.cuStreamDestroy(stream(stream));
  }
}
