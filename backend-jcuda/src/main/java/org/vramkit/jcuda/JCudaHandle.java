package org.vramkit.jcuda;

import jcuda.NativePointerObject;
import jcuda.driver.CUcontext;
import jcuda.driver.CUevent;
import jcuda.driver.CUfunction;
import jcuda.driver.CUgraph;
import jcuda.driver.CUgraphExec;
import jcuda.driver.CUmemoryPool;
import jcuda.driver.CUmodule;
import jcuda.driver.CUstream;
import org.vramkit.cuda.driver.Handle;

/** A JCuda object and its driver pointer, which JCuda does not expose. */
final class JCudaHandle implements Handle {
  private final NativePointerObject object;
  private final long address;

  JCudaHandle(NativePointerObject object) {
    this(object, NativePointers.addressOf(object));
  }

  /** Creates a handle of an object whose address is known. */
  JCudaHandle(NativePointerObject object, long address) {
    this.object = object;
    this.address = address;
  }

  @Override
  public long getAddress() {
    return address;
  }

  static CUcontext context(Handle handle) {
    return (CUcontext) ((JCudaHandle) handle).object;
  }

  /**
   * Converts a handle, also one of another CUDA backend, because driver streams belong to the
   * process.
   */
  static CUstream stream(Handle handle) {
    return handle instanceof JCudaHandle ours
        ? (CUstream) ours.object
        : NativePointers.stream(handle.getAddress());
  }

  static CUevent event(Handle handle) {
    return (CUevent) ((JCudaHandle) handle).object;
  }

  static CUgraph graph(Handle handle) {
    return (CUgraph) ((JCudaHandle) handle).object;
  }

  static CUgraphExec executable(Handle handle) {
    return (CUgraphExec) ((JCudaHandle) handle).object;
  }

  static CUmodule module(Handle handle) {
    return (CUmodule) ((JCudaHandle) handle).object;
  }

  static CUfunction function(Handle handle) {
    return (CUfunction) ((JCudaHandle) handle).object;
  }

  static CUmemoryPool pool(Handle handle) {
    return (CUmemoryPool) ((JCudaHandle) handle).object;
  }
}
