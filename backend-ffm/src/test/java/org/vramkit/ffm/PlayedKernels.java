package org.vramkit.ffm;

import static org.vramkit.ffm.Pointers.bytes;
import static org.vramkit.ffm.Pointers.get;
import static org.vramkit.ffm.Pointers.getInt;
import static org.vramkit.ffm.Pointers.put;
import static org.vramkit.ffm.Pointers.putInt;
import static org.vramkit.ffm.Pointers.told;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.vramkit.api.device.Dim3;
import org.vramkit.api.device.LaunchConfig;
import org.vramkit.cuda.driver.CudaDriver;
import org.vramkit.cuda.driver.CudaResult;
import org.vramkit.cuda.driver.Handle;
import org.vramkit.cuda.driver.KernelCalls;
import org.vramkit.cuda.driver.ParameterSpace;

/** Modules and kernels. */
@SuppressWarnings("UnusedMethod") // called by native code
final class PlayedKernels {
  private final KernelCalls calls;
  private final PlayedHandles streams;
  private final PlayedMemory memory;
  private final PlayedHandles modules = new PlayedHandles();
  private final PlayedHandles functions = new PlayedHandles();

  PlayedKernels(CudaDriver driver, PlayedHandles streams, PlayedMemory memory) {
    this.calls = driver.kernels();
    this.streams = streams;
    this.memory = memory;
  }

  private static String text(long pointer) {
    return MemorySegment.ofAddress(pointer).reinterpret(Long.MAX_VALUE).getString(0);
  }

  @Since(2010)
  int cuModuleLoadDataEx(long module, long image, int count, long options, long values) {
    byte[] info = new byte[0];
    byte[] error = new byte[0];
    for (int i = 0; i < count; i++) {
      int size = (int) get(values + 8L * (i + 1));
      switch (getInt(options + 4L * i)) {
        case 3 -> info = new byte[size];
        case 5 -> error = new byte[size];
        case 4, 6 -> {} // read with the buffer before it
        default -> throw new AssertionError("option " + getInt(options + 4L * i));
      }
    }
    Handle[] made = new Handle[1];
    byte[] bytes = text(image).getBytes(StandardCharsets.UTF_8);
    int result = calls.cuModuleLoadDataEx(made, bytes, info, error);
    bytes(get(values), info.length).put(info);
    bytes(get(values + 16), error.length).put(error);
    return modules.told(result, made, module);
  }

  @Since(2000)
  int cuModuleUnload(long module) {
    return calls.cuModuleUnload(modules.known(module));
  }

  @Since(2000)
  int cuModuleGetFunction(long function, long module, long name) {
    Handle[] found = new Handle[1];
    int result = calls.cuModuleGetFunction(found, modules.known(module), text(name));
    return functions.told(result, found, function);
  }

  @Since(value = 3020, exported = "cuModuleGetGlobal_v2")
  int cuModuleGetGlobal(long address, long bytes, long module, long name) {
    long[] found = new long[2];
    int result = calls.cuModuleGetGlobal(found, modules.known(module), text(name));
    put(address, found[0]);
    return told(result, found[1], bytes);
  }

  @Since(2020)
  int cuFuncGetAttribute(long value, int attribute, long function) {
    int[] found = new int[1];
    return told(
        calls.cuFuncGetAttribute(found, attribute, functions.known(function)), found, value);
  }

  @Since(9000)
  int cuFuncSetAttribute(long function, int attribute, int value) {
    return calls.cuFuncSetAttribute(functions.known(function), attribute, value);
  }

  @Since(12040)
  int cuFuncGetParamInfo(long function, long index, long offset, long size) {
    long[] found = new long[2];
    int result = calls.cuFuncGetParamInfo(functions.known(function), index, found);
    put(offset, found[0]);
    return told(result, found[1], size);
  }

  @Since(6050)
  int cuOccupancyMaxActiveBlocksPerMultiprocessor(
      long blocks, long function, int threads, long shared) {
    int[] found = new int[1];
    int result =
        calls.cuOccupancyMaxActiveBlocksPerMultiprocessor(
            found, functions.known(function), threads, shared);
    return told(result, found, blocks);
  }

  @Since(6050)
  int cuOccupancyMaxPotentialBlockSize(
      long blocks, long threads, long function, long callback, long shared, int limit) {
    if (callback != 0 || limit != 0) {
      return CudaResult.INVALID_VALUE;
    }
    int[] found = new int[2];
    int result = calls.cuOccupancyMaxPotentialBlockSize(found, functions.known(function), shared);
    putInt(blocks, found[0]);
    putInt(threads, found[1]);
    return result;
  }

  @Since(4000)
  int cuLaunchKernel(
      long function,
      int gridX,
      int gridY,
      int gridZ,
      int blockX,
      int blockY,
      int blockZ,
      int shared,
      long stream,
      long kernelParams,
      long extra) {
    if (kernelParams != 0) {
      return CudaResult.INVALID_VALUE;
    }
    LaunchConfig config =
        new LaunchConfig(new Dim3(gridX, gridY, gridZ), new Dim3(blockX, blockY, blockZ), shared);
    return calls.cuLaunchKernel(
        functions.known(function), config, streams.known(stream), parameters(function, extra));
  }

  /** Reads the list of a packed buffer, and replaces addresses of host memory. */
  private ParameterSpace parameters(long function, long extra) {
    if (extra == 0) {
      return calls.createParameters(0);
    }
    if (get(extra) != 1 || get(extra + 16) != 2 || get(extra + 32) != 0) {
      throw new AssertionError("not a list of a packed buffer and its size");
    }
    int size = (int) get(get(extra + 24));
    ParameterSpace space = calls.createParameters(size);
    space.bytes().put(0, bytes(get(extra + 8), size), 0, size);
    ByteBuffer packed = space.bytes().order(ByteOrder.nativeOrder());
    long[] parameter = new long[2];
    for (int i = 0;
        calls.cuFuncGetParamInfo(functions.known(function), i, parameter) == CudaResult.SUCCESS;
        i++) {
      if (parameter[1] == Long.BYTES) {
        int at = (int) parameter[0];
        packed.putLong(at, memory.simulated(packed.getLong(at)));
      }
    }
    return space;
  }
}
