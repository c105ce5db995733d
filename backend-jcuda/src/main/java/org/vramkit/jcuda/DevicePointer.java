package org.vramkit.jcuda;

import jcuda.driver.CUdeviceptr;

/** A device pointer to any address, which JCuda can otherwise only create by an offset. */
final class DevicePointer extends CUdeviceptr {
  private static final CUdeviceptr NULL = new CUdeviceptr();

  /** Creates a pointer that a call fills. */
  DevicePointer() {}

  DevicePointer(long address) {
    super(NULL, address);
  }

  long address() {
    return getNativePointer() + getByteOffset();
  }
}
