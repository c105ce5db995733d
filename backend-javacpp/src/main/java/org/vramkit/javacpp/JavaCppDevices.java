package org.vramkit.javacpp;

import org.bytedeco.cuda.global.cudart;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.Pointer;
import org.vramkit.cuda.driver.CudaResult;
import org.vramkit.cuda.driver.DeviceCalls;

/** Device calls. A {@code CUdevice} equals the ordinal. */
final class JavaCppDevices implements DeviceCalls {

  @Override
  public String nameOf(int result) {
    BytePointer name = new BytePointer((Pointer) null);
    return cudart.cuGetErrorName(result, name) == CudaResult.SUCCESS
        ? name.getString()
        : "unknown result";
  }

  @Override
  public int cuInit() {
    return cudart.cuInit(0);
  }

  @Override
  public int cuDriverGetVersion(int[] version) {
    return cudart.cuDriverGetVersion(version);
  }

  @Override
  public int cuDeviceGetCount(int[] count) {
    return cudart.cuDeviceGetCount(count);
  }

  @Override
  public int cuDeviceGetName(byte[] name, int ordinal) {
    return cudart.cuDeviceGetName(name, name.length, ordinal);
  }

  @Override
  public int cuDeviceTotalMem(long[] bytes, int ordinal) {
    Cell total = new Cell();
    int result = cudart.cuDeviceTotalMem(total.asSize(), ordinal);
    bytes[0] = total.get();
    return result;
  }

  @Override
  public int cuDeviceGetAttribute(int[] value, int attribute, int ordinal) {
    return cudart.cuDeviceGetAttribute(value, attribute, ordinal);
  }

  @Override
  public int cuDeviceCanAccessPeer(int[] can, int ordinal, int peer) {
    return cudart.cuDeviceCanAccessPeer(can, ordinal, peer);
  }
}
