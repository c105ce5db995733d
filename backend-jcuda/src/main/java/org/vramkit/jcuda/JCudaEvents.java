package org.vramkit.jcuda;

import static org.vramkit.jcuda.JCudaHandle.event;
import static org.vramkit.jcuda.JCudaHandle.stream;

import jcuda.driver.CUevent;
import jcuda.driver.JCudaDriver;
import org.vramkit.cuda.driver.EventCalls;
import org.vramkit.cuda.driver.Handle;

/** Event calls. */
final class JCudaEvents implements EventCalls {

  @Override
  public int cuEventCreate(Handle[] event, int flags) {
    CUevent made = new CUevent();
    int result = Results.of(() -> JCudaDriver.cuEventCreate(made, flags));
    event[0] = new JCudaHandle(made);
    return result;
  }

  @Override
  public int cuEventRecord(Handle event, Handle stream) {
    return Results.of(() -> JCudaDriver.cuEventRecord(event(event), stream(stream)));
  }

  @Override
  public int cuEventQuery(Handle event) {
    return Results.of(() -> JCudaDriver.cuEventQuery(event(event)));
  }

  @Override
  public int cuEventSynchronize(Handle event) {
    return Results.of(() -> JCudaDriver.cuEventSynchronize(event(event)));
  }

  @Override
  public int cuEventDestroy(Handle event) {
    return Results.of(() -> JCudaDriver.cuEventDestroy(event(event)));
  }
}
