package org.vramkit.agent;

/** Something with a handle that belongs to a context and ends with it. */
abstract class CudaObject {
  final CudaContext context;
  final long handle;

  CudaObject(CudaContext context, long handle) {
    this.context = context;
    this.handle = handle;
  }

  /** Makes the handle unknown and frees what is behind it. */
  abstract void destroy();
}
