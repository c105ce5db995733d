package org.vramkit.javacpp;

import static org.vramkit.javacpp.JavaCppHandle.function;
import static org.vramkit.javacpp.JavaCppHandle.module;
import static org.vramkit.javacpp.JavaCppHandle.stream;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.bytedeco.cuda.cudart.CUfunc_st;
import org.bytedeco.cuda.cudart.CUmod_st;
import org.bytedeco.cuda.cudart.CUoccupancyB2DSize;
import org.bytedeco.cuda.global.cudart;
import org.bytedeco.javacpp.IntPointer;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.javacpp.PointerPointer;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Dim3;
import org.vramkit.api.device.LaunchConfig;
import org.vramkit.cuda.driver.Handle;
import org.vramkit.cuda.driver.KernelCalls;
import org.vramkit.cuda.driver.ParameterSpace;

/**
 * Module and kernel calls. All native memory is in direct buffers, for the reason at {@link Cell}.
 *
 * <p>Lists of pointers are passed as {@link PointerPointer}: where JavaCPP 1.5.13 also takes a
 * {@link Pointer} for {@code void **}, it passes the address of that pointer's copy on the stack,
 * as for a list of one.
 */
final class JavaCppKernels implements KernelCalls {

  @Override
  public int cuModuleLoadDataEx(Handle[] module, byte[] image, byte[] infoLog, byte[] errorLog) {
    ByteBuffer info = ByteBuffer.allocateDirect(infoLog.length);
    ByteBuffer error = ByteBuffer.allocateDirect(errorLog.length);
    int[] options = {
      JIT_INFO_LOG_BUFFER, JIT_INFO_LOG_BUFFER + 1, JIT_ERROR_LOG_BUFFER, JIT_ERROR_LOG_BUFFER + 1
    };
    ByteBuffer numbers =
        ByteBuffer.allocateDirect(options.length * Integer.BYTES).order(ByteOrder.nativeOrder());
    numbers.asIntBuffer().put(options);
    // Sizes are stored in the place of pointers.
    ByteBuffer values =
        longs(
            new Pointer(info).address(),
            infoLog.length,
            new Pointer(error).address(),
            errorLog.length);
    ByteBuffer bytes = ByteBuffer.allocateDirect(image.length).put(0, image);
    CUmod_st made = new CUmod_st();
    int result =
        cudart.cuModuleLoadDataEx(
            made,
            new Pointer(bytes),
            options.length,
            new IntPointer(new Pointer(numbers)),
            listOf(values));
    module[0] = new JavaCppHandle(made);
    info.get(infoLog);
    error.get(errorLog);
    return result;
  }

  private static ByteBuffer longs(long... numbers) {
    ByteBuffer list =
        ByteBuffer.allocateDirect(numbers.length * Long.BYTES).order(ByteOrder.nativeOrder());
    list.asLongBuffer().put(numbers);
    return list;
  }

  /** Returns a list of pointers, whose memory belongs to a direct buffer. */
  private static PointerPointer<?> listOf(ByteBuffer pointers) {
    return new PointerPointer<>(new Pointer(pointers));
  }

  @Override
  public int cuModuleUnload(Handle module) {
    return cudart.cuModuleUnload(module(module));
  }

  @Override
  public int cuModuleGetFunction(Handle[] function, Handle module, String name) {
    CUfunc_st found = new CUfunc_st();
    int result = cudart.cuModuleGetFunction(found, module(module), name);
    function[0] = new JavaCppHandle(found);
    return result;
  }

  @Override
  public int cuModuleGetGlobal(long[] addressAndBytes, Handle module, String name) {
    long[] address = new long[1];
    Cell bytes = new Cell();
    int result = cudart.cuModuleGetGlobal(address, bytes.asSize(), module(module), name);
    addressAndBytes[0] = address[0];
    addressAndBytes[1] = bytes.get();
    return result;
  }

  @Override
  public int cuFuncGetAttribute(int[] value, int attribute, Handle function) {
    return cudart.cuFuncGetAttribute(value, attribute, function(function));
  }

  @Override
  public int cuFuncSetAttribute(Handle function, int attribute, int value) {
    return cudart.cuFuncSetAttribute(function(function), attribute, value);
  }

  @Override
  public int cuFuncGetParamInfo(Handle function, long index, long[] offsetAndSize) {
    Cell offset = new Cell();
    Cell size = new Cell();
    int result =
        cudart.cuFuncGetParamInfo(function(function), index, offset.asSize(), size.asSize());
    offsetAndSize[0] = offset.get();
    offsetAndSize[1] = size.get();
    return result;
  }

  @Override
  public int cuOccupancyMaxActiveBlocksPerMultiprocessor(
      int[] blocks, Handle function, int threadsPerBlock, long dynamicSharedBytes) {
    return cudart.cuOccupancyMaxActiveBlocksPerMultiprocessor(
        blocks, function(function), threadsPerBlock, dynamicSharedBytes);
  }

  @Override
  public int cuOccupancyMaxPotentialBlockSize(
      int[] blocksAndThreads, Handle function, long dynamicSharedBytes) {
    int[] threads = new int[1];
    int result =
        cudart.cuOccupancyMaxPotentialBlockSize(
            blocksAndThreads,
            threads,
            function(function),
            (@Nullable CUoccupancyB2DSize) null,
            dynamicSharedBytes,
            0);
    blocksAndThreads[1] = threads[0];
    return result;
  }

  /**
   * The arguments, and the list of addresses that the driver takes.
   *
   * @param size the memory of the size, to which the list refers
   * @param extra the list; null without parameters
   */
  private record Parameters(ByteBuffer bytes, ByteBuffer size, @Nullable PointerPointer<?> extra)
      implements ParameterSpace {}

  @Override
  public ParameterSpace createParameters(int bytes) {
    ByteBuffer space = ByteBuffer.allocateDirect(bytes).order(ByteOrder.nativeOrder());
    ByteBuffer size = longs(bytes);
    if (bytes == 0) {
      return new Parameters(space, size, null);
    }
    ByteBuffer list =
        longs(
            LAUNCH_PARAM_BUFFER_POINTER,
            new Pointer(space).address(),
            LAUNCH_PARAM_BUFFER_SIZE,
            new Pointer(size).address(),
            0);
    return new Parameters(space, size, listOf(list));
  }

  @Override
  public int cuLaunchKernel(
      Handle function, LaunchConfig config, Handle stream, ParameterSpace parameters) {
    Dim3 grid = config.grid();
    Dim3 block = config.block();
    return cudart.cuLaunchKernel(
        function(function),
        grid.x(),
        grid.y(),
        grid.z(),
        block.x(),
        block.y(),
        block.z(),
        config.dynamicSharedBytes(),
        stream(stream),
        (@Nullable PointerPointer<?>) null,
        ((Parameters) parameters).extra());
  }
}
