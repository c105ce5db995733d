package org.vramkit.javacpp;

import org.bytedeco.cuda.cudart.CUctx_st;
import org.bytedeco.cuda.cudart.CUevent_st;
import org.bytedeco.cuda.cudart.CUgraphExec_st;
import org.bytedeco.cuda.cudart.CUgraph_st;
import org.bytedeco.cuda.cudart.CUmemPoolHandle_st;
import org.bytedeco.cuda.cudart.CUstream_st;
import org.bytedeco.javacpp.Pointer;
import org.vramkit.cuda.driver.Handle;

/**
 * A pointer of the presets without a deallocator, so cheap to make: one for each driver object, and
 * one whenever a thread's current context is looked at.
 *
 * @param pointer what the presets' calls take
 */
record JavaCppHandle(Pointer pointer) implements Handle {

  @Override
  public long getAddress() {
    return pointer.address();
  }

  static CUctx_st context(Handle handle) {
    return (CUctx_st) ((JavaCppHandle) handle).pointer;
  }

  /** Of another CUDA backend's handle too: the driver's streams are the process's. */
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

  static CUmemPoolHandle_st pool(Handle handle) {
    return (CUmemPoolHandle_st) ((JavaCppHandle) handle).pointer;
  }
}
