package org.vramkit.jcuda;

import static org.vramkit.jcuda.JCudaHandle.function;
import static org.vramkit.jcuda.JCudaHandle.module;
import static org.vramkit.jcuda.JCudaHandle.stream;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import jcuda.Pointer;
import jcuda.driver.CUfunction;
import jcuda.driver.CUmodule;
import jcuda.driver.JCudaDriver;
import jcuda.driver.JITOptions;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Dim3;
import org.vramkit.api.device.LaunchConfig;
import org.vramkit.cuda.driver.CudaDriver;
import org.vramkit.cuda.driver.Handle;
import org.vramkit.cuda.driver.KernelCalls;
import org.vramkit.cuda.driver.ParameterSpace;

/** Module and kernel calls. */
final class JCudaKernels implements KernelCalls {

  @Override
  public int cuModuleLoadDataEx(Handle[] module, byte[] image, byte[] infoLog, byte[] errorLog) {
    JITOptions options = new JITOptions();
    options.putBytes(JIT_INFO_LOG_BUFFER, infoLog);
    options.putInt(JIT_INFO_LOG_BUFFER + 1, infoLog.length);
    options.putBytes(JIT_ERROR_LOG_BUFFER, errorLog);
    options.putInt(JIT_ERROR_LOG_BUFFER + 1, errorLog.length);
    CUmodule made = new CUmodule();
    int result =
        Results.of(() -> JCudaDriver.cuModuleLoadDataJIT(made, Pointer.to(image), options));
    module[0] = new JCudaHandle(made);
    copy(options.getBytes(JIT_INFO_LOG_BUFFER), infoLog);
    copy(options.getBytes(JIT_ERROR_LOG_BUFFER), errorLog);
    return result;
  }

  /** Copies a log, which JCuda may return in another array. */
  private static void copy(byte @Nullable [] log, byte[] target) {
    if (log != null) {
      System.arraycopy(log, 0, target, 0, Math.min(log.length, target.length));
    }
  }

  @Override
  public int cuModuleUnload(Handle module) {
    return Results.of(() -> JCudaDriver.cuModuleUnload(module(module)));
  }

  @Override
  public int cuModuleGetFunction(Handle[] function, Handle module, String name) {
    CUfunction found = new CUfunction();
    int result = Results.of(() -> JCudaDriver.cuModuleGetFunction(found, module(module), name));
    function[0] = new JCudaHandle(found);
    return result;
  }

  @Override
  public int cuModuleGetGlobal(long[] addressAndBytes, Handle module, String name) {
    DevicePointer found = new DevicePointer();
    long[] bytes = new long[1];
    int result =
        Results.of(() -> JCudaDriver.cuModuleGetGlobal(found, bytes, module(module), name));
    addressAndBytes[0] = found.address();
    addressAndBytes[1] = bytes[0];
    return result;
  }

  @Override
  public int cuFuncGetAttribute(int[] value, int attribute, Handle function) {
    return Results.of(() -> JCudaDriver.cuFuncGetAttribute(value, attribute, function(function)));
  }

  @Override
  public int cuFuncSetAttribute(Handle function, int attribute, int value) {
    return Results.of(() -> JCudaDriver.cuFuncSetAttribute(function(function), attribute, value));
  }

  /** Returns an error: JCuda 12.6.0 does not bind this function. */
  @Override
  public int cuFuncGetParamInfo(Handle function, long index, long[] offsetAndSize) {
    return CudaDriver.UNSUPPORTED;
  }

  @Override
  public int cuOccupancyMaxActiveBlocksPerMultiprocessor(
      int[] blocks, Handle function, int threadsPerBlock, long dynamicSharedBytes) {
    return Results.of(
        () ->
            JCudaDriver.cuOccupancyMaxActiveBlocksPerMultiprocessor(
                blocks, function(function), threadsPerBlock, dynamicSharedBytes));
  }

  @Override
  public int cuOccupancyMaxPotentialBlockSize(
      int[] blocksAndThreads, Handle function, long dynamicSharedBytes) {
    int[] threads = new int[1];
    int result =
        Results.of(
            () ->
                JCudaDriver.cuOccupancyMaxPotentialBlockSize(
                    blocksAndThreads, threads, function(function), null, dynamicSharedBytes, 0));
    blocksAndThreads[1] = threads[0];
    return result;
  }

  /**
   * The arguments, and the list of pointers that the driver takes.
   *
   * @param extra the list; null without parameters
   */
  private record Parameters(ByteBuffer bytes, @Nullable Pointer extra) implements ParameterSpace {}

  @Override
  public ParameterSpace createParameters(int bytes) {
    ByteBuffer space = ByteBuffer.allocateDirect(bytes).order(ByteOrder.nativeOrder());
    return new Parameters(
        space,
        bytes == 0
            ? null
            : Pointer.to(
                JCudaDriver.CU_LAUNCH_PARAM_BUFFER_POINTER,
                Pointer.to(space),
                JCudaDriver.CU_LAUNCH_PARAM_BUFFER_SIZE,
                Pointer.to(new long[] {bytes}),
                JCudaDriver.CU_LAUNCH_PARAM_END));
  }

  @Override
  public int cuLaunchKernel(
      Handle function, LaunchConfig config, Handle stream, ParameterSpace parameters) {
    Dim3 grid = config.grid();
    Dim3 block = config.block();
    return Results.of(
        () ->
            JCudaDriver.cuLaunchKernel(
                function(function),
                grid.x(),
                grid.y(),
                grid.z(),
                block.x(),
                block.y(),
                block.z(),
                config.dynamicSharedBytes(),
                stream(stream),
                null,
                ((Parameters) parameters).extra()));
  }
}
