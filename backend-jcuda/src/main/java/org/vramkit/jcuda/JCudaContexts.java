package org.vramkit.jcuda;

import static org.vramkit.jcuda.JCudaHandle.context;

import jcuda.driver.JCudaDriver;
import org.vramkit.cuda.driver.ContextCalls;
import org.vramkit.cuda.driver.Handle;

/** Context calls. */
final class JCudaContexts implements ContextCalls {

  @Override
  public int cuDevicePrimaryCtxRetain(Handle[] context, int ordinal) {
    ContextPointer made = new ContextPointer();
    int result =
        JCudaDevices.with(ordinal, device -> JCudaDriver.cuDevicePrimaryCtxRetain(made, device));
    context[0] = new JCudaHandle(made, made.address());
    return result;
  }

  @Override
  public int cuDevicePrimaryCtxRelease(int ordinal) {
    return JCudaDevices.with(ordinal, JCudaDriver::cuDevicePrimaryCtxRelease);
  }

  @Override
  public int cuCtxGetCurrent(Handle[] context) {
    ContextPointer found = new ContextPointer();
    int result = Results.of(() -> JCudaDriver.cuCtxGetCurrent(found));
    context[0] = new JCudaHandle(found, found.address());
    return result;
  }

  @Override
  public int cuCtxSetCurrent(Handle context) {
    return Results.of(() -> JCudaDriver.cuCtxSetCurrent(context(context)));
  }

  @Override
  public int cuCtxSynchronize() {
    return Results.of(JCudaDriver::cuCtxSynchronize);
  }

  @Override
  public int cuCtxEnablePeerAccess(Handle peer) {
    return Results.of(() -> JCudaDriver.cuCtxEnablePeerAccess(context(peer), 0));
  }

  @Override
  public int cuCtxDisablePeerAccess(Handle peer) {
    return Results.of(() -> JCudaDriver.cuCtxDisablePeerAccess(context(peer)));
  }
}
