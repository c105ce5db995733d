package org.vramkit.jcuda;

import jcuda.driver.CUdevice;
import jcuda.driver.CUresult;
import jcuda.driver.JCudaDriver;
import org.vramkit.cuda.driver.CudaResult;
import org.vramkit.cuda.driver.DeviceCalls;

/** Device calls. */
final class JCudaDevices implements DeviceCalls {

  /** A call on one device. */
  interface DeviceCall {
    int on(CUdevice device);
  }

  /** Makes a call on the device of an ordinal. */
  static int with(int ordinal, DeviceCall call) {
    CUdevice device = new CUdevice();
    int result = Results.of(() -> JCudaDriver.cuDeviceGet(device, ordinal));
    return result == CudaResult.SUCCESS ? Results.of(() -> call.on(device)) : result;
  }

  @Override
  public String nameOf(int result) {
    return CUresult.stringFor(result);
  }

  @Override
  public int cuInit() {
    return Results.of(() -> JCudaDriver.cuInit(0));
  }

  @Override
  public int cuDriverGetVersion(int[] version) {
    return Results.of(() -> JCudaDriver.cuDriverGetVersion(version));
  }

  @Override
  public int cuDeviceGetCount(int[] count) {
    return Results.of(() -> JCudaDriver.cuDeviceGetCount(count));
  }

  @Override
  public int cuDeviceGetName(byte[] name, int ordinal) {
    return with(ordinal, device -> JCudaDriver.cuDeviceGetName(name, name.length, device));
  }

  @Override
  public int cuDeviceTotalMem(long[] bytes, int ordinal) {
    return with(ordinal, device -> JCudaDriver.cuDeviceTotalMem(bytes, device));
  }

  @Override
  public int cuDeviceGetAttribute(int[] value, int attribute, int ordinal) {
    return with(ordinal, device -> JCudaDriver.cuDeviceGetAttribute(value, attribute, device));
  }

  @Override
  public int cuDeviceCanAccessPeer(int[] can, int ordinal, int peer) {
    return with(
        ordinal,
        device -> with(peer, other -> JCudaDriver.cuDeviceCanAccessPeer(can, device, other)));
  }
}
