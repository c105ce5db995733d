package org.vramkit.javacpp;

import static org.vramkit.javacpp.JavaCppHandle.context;

import org.bytedeco.cuda.cudart.CUctx_st;
import org.bytedeco.cuda.global.cudart;
import org.vramkit.cuda.driver.ContextCalls;
import org.vramkit.cuda.driver.Handle;

/** Context calls. */
final class JavaCppContexts implements ContextCalls {

  @Override
  public int cuDevicePrimaryCtxRetain(Handle[] context, int ordinal) {
    CUctx_st made = new CUctx_st();
    int result = cudart.cuDevicePrimaryCtxRetain(made, ordinal);
    context[0] = new JavaCppHandle(made);
    return result;
  }

  @Override
  public int cuDevicePrimaryCtxRelease(int ordinal) {
    return cudart.cuDevicePrimaryCtxRelease(ordinal);
  }

  @Override
  public int cuCtxGetCurrent(Handle[] context) {
    CUctx_st found = new CUctx_st();
    int result = cudart.cuCtxGetCurrent(found);
    context[0] = new JavaCppHandle(found);
    return result;
  }

  @Override
  public int cuCtxSetCurrent(Handle context) {
    return cudart.cuCtxSetCurrent(context(context));
  }

  @Override
  public int cuCtxSynchronize() {
    return cudart.cuCtxSynchronize();
  }

  @Override
  public int cuCtxEnablePeerAccess(Handle peer) {
    return cudart.cuCtxEnablePeerAccess(context(peer), 0);
  }

  @Override
  public int cuCtxDisablePeerAccess(Handle peer) {
    return cudart.cuCtxDisablePeerAccess(context(peer));
  }
}
