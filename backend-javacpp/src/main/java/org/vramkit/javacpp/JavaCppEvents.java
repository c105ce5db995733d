package org.vramkit.javacpp;

import static org.vramkit.javacpp.JavaCppHandle.event;
import static org.vramkit.javacpp.JavaCppHandle.stream;

import org.bytedeco.cuda.cudart.CUevent_st;
import org.bytedeco.cuda.global.cudart;
import org.vramkit.cuda.driver.EventCalls;
import org.vramkit.cuda.driver.Handle;

/** Event calls. */
final class JavaCppEvents implements EventCalls {

  @Override
  public int cuEventCreate(Handle[] event, int flags) {
    CUevent_st made = new CUevent_st();
    int result = cudart.cuEventCreate(made, flags);
    event[0] = new JavaCppHandle(made);
    return result;
  }

  @Override
  public int cuEventRecord(Handle event, Handle stream) {
    return cudart.cuEventRecord(event(event), stream(stream));
  }

  @Override
  public int cuEventQuery(Handle event) {
    return cudart.cuEventQuery(event(event));
  }

  @Override
  public int cuEventSynchronize(Handle event) {
    return cudart.cuEventSynchronize(event(event));
  }

  @Override
  public int cuEventDestroy(Handle event) {
    return cudart.cuEventDestroy(event(event));
  }
}
