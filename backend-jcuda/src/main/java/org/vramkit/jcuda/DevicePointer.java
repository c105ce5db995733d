package org.vramkit.jcuda;

import jcuda.driver.CUdeviceptr;

/** A device pointer with a given address, for which JCuda has no public constructor. */
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
