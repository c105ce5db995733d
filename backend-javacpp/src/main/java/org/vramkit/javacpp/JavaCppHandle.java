package org.vramkit.javacpp;

import org.bytedeco.cuda.cudart.CUctx_st;
import org.bytedeco.cuda.cudart.CUevent_st;
import org.bytedeco.cuda.cudart.CUfunc_st;
import org.bytedeco.cuda.cudart.CUgraphExec_st;
import org.bytedeco.cuda.cudart.CUgraph_st;
import org.bytedeco.cuda.cudart.CUmemPoolHandle_st;
import org.bytedeco.cuda.cudart.CUmod_st;
import org.bytedeco.cuda.cudart.CUstream_st;
import org.bytedeco.javacpp.Pointer;
import org.vramkit.cuda.driver.Handle;

/**
 * A pointer of the presets without a deallocator, which makes it cheap: one is created per driver
 * object and per query of a thread's current context.
 *
 * @param pointer the argument of the presets' calls
 */
record JavaCppHandle(Pointer pointer) implements Handle {

  @Override
  public long getAddress() {
    return pointer.address();
  }

  static CUctx_st context(Handle handle) {
    return (CUctx_st) ((JavaCppHandle) handle).pointer;
  }

  /**
   * Converts a handle, also one of another CUDA backend, because driver streams belong to the
   * process.
   */
  static CUstream_st stream(Handle handle) {
    return handle instanceof JavaCppHandle ours
        ? (CUstream_st) ours.pointer
        : new CUstream_st(JavaCppInterop.pointer(handle.getAddress(), 0));
  }

  static CUevent_st event(Handle handle) {
    return (CUevent_st) ((JavaCppHandle) handle).pointer;
  }

  static CUgraph_st graph(Handle handle) {
    return (CUgraph_st) ((JavaCppHandle) handle).pointer;
  }

  static CUgraphExec_st executable(Handle handle) {
    return (CUgraphExec_st) ((JavaCppHandle) handle).pointer;
  }

  static CUmod_st module(Handle handle) {
    return (CUmod_st) ((JavaCppHandle) handle).pointer;
  }

  static CUfunc_st function(Handle handle) {
    return (CUfunc_st) ((JavaCppHandle) handle).pointer;
  }

  static CUmemPoolHandle_st pool(Handle handle) {
    return (CUmemPoolHandle_st) ((JavaCppHandle) handle).pointer;
  }
}
