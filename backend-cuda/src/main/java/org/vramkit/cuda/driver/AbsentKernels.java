package org.vramkit.cuda.driver;

import java.nio.ByteBuffer;
import org.vramkit.api.device.LaunchConfig;

/** The kernel calls of a driver without kernels; all return {@link CudaDriver#UNSUPPORTED}. */
final class AbsentKernels implements KernelCalls {

  @Override
  public int cuModuleLoadDataEx(Handle[] module, byte[] image, byte[] infoLog, byte[] errorLog) {
    return CudaDriver.UNSUPPORTED;
  }

  @Override
  public int cuModuleUnload(Handle module) {
    return CudaDriver.UNSUPPORTED;
  }

  @Override
  public int cuModuleGetFunction(Handle[] function, Handle module, String name) {
    return CudaDriver.UNSUPPORTED;
  }

  @Override
  public int cuModuleGetGlobal(long[] addressAndBytes, Handle module, String name) {
    return CudaDriver.UNSUPPORTED;
  }

  @Override
  public int cuFuncGetAttribute(int[] value, int attribute, Handle function) {
    return CudaDriver.UNSUPPORTED;
  }

  @Override
  public int cuFuncSetAttribute(Handle function, int attribute, int value) {
    return CudaDriver.UNSUPPORTED;
  }

  @Override
  public int cuFuncGetParamInfo(Handle function, long index, long[] offsetAndSize) {
    return CudaDriver.UNSUPPORTED;
  }

  @Override
  public int cuOccupancyMaxActiveBlocksPerMultiprocessor(
      int[] blocks, Handle function, int threadsPerBlock, long dynamicSharedBytes) {
    return CudaDriver.UNSUPPORTED;
  }

  @Override
  public int cuOccupancyMaxPotentialBlockSize(
      int[] blocksAndThreads, Handle function, long dynamicSharedBytes) {
    return CudaDriver.UNSUPPORTED;
  }

  @Override
  public ParameterSpace createParameters(int bytes) {
    return () -> ByteBuffer.allocate(bytes);
  }

  @Override
  public int cuLaunchKernel(
      Handle function, LaunchConfig config, Handle stream, ParameterSpace parameters) {
    return CudaDriver.UNSUPPORTED;
  }
}
