package org.vramkit.ffm;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.vramkit.api.device.Dim3;
import org.vramkit.api.device.LaunchConfig;
import org.vramkit.cuda.driver.Handle;
import org.vramkit.cuda.driver.KernelCalls;
import org.vramkit.cuda.driver.ParameterSpace;

/** Module and kernel calls. */
final class FfmKernels implements KernelCalls {
  /**
   * {@code CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned int
   * numOptions, CUjit_option* options, void** optionValues)}.
   */
  private final Call.LLILL moduleLoadDataEx;

  /** {@code CUresult cuModuleUnload(CUmodule hmod)}. */
  private final Call.L moduleUnload;

  /** {@code CUresult cuModuleGetFunction(CUfunction* hfunc, CUmodule hmod, const char* name)}. */
  private final Call.LLL moduleGetFunction;

  /**
   * {@code CUresult cuModuleGetGlobal(CUdeviceptr* dptr, size_t* bytes, CUmodule hmod, const char*
   * name)}.
   */
  private final Call.LLLL moduleGetGlobal;

  /** {@code CUresult cuFuncGetAttribute(int* pi, CUfunction_attribute attrib, CUfunction f)}. */
  private final Call.LIL funcGetAttribute;

  /** {@code CUresult cuFuncSetAttribute(CUfunction f, CUfunction_attribute attrib, int value)}. */
  private final Call.LII funcSetAttribute;

  /**
   * {@code CUresult cuFuncGetParamInfo(CUfunction func, size_t paramIndex, size_t* paramOffset,
   * size_t* paramSize)}.
   */
  private final Call.LLLL funcGetParamInfo;

  /**
   * {@code CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* numBlocks, CUfunction func,
   * int blockSize, size_t dynamicSMemSize)}.
   */
  private final Call.LLIL occupancyMaxActiveBlocks;

  /**
   * {@code CUresult cuOccupancyMaxPotentialBlockSize(int* minGridSize, int* blockSize, CUfunction
   * func, CUoccupancyB2DSize blockSizeToDynamicSMemSize, size_t dynamicSMemSize, int
   * blockSizeLimit)}.
   */
  private final Call.LLLLLI occupancyMaxPotentialBlockSize;

  /**
   * {@code CUresult cuLaunchKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY,
   * unsigned int gridDimZ, unsigned int blockDimX, unsigned int blockDimY, unsigned int blockDimZ,
   * unsigned int sharedMemBytes, CUstream hStream, void** kernelParams, void** extra)}.
   */
  private final Call.LIIIIIIILLL launchKernel;

  FfmKernels(DriverFunctions functions) {
    moduleLoadDataEx = new Call.LLILL(functions.find("cuModuleLoadDataEx", 2010));
    moduleUnload = new Call.L(functions.find("cuModuleUnload", 2000));
    moduleGetFunction = new Call.LLL(functions.find("cuModuleGetFunction", 2000));
    moduleGetGlobal =
        new Call.LLLL(functions.find("cuModuleGetGlobal", 3020, "cuModuleGetGlobal_v2"));
    funcGetAttribute = new Call.LIL(functions.find("cuFuncGetAttribute", 2020));
    funcSetAttribute = new Call.LII(functions.find("cuFuncSetAttribute", SINCE));
    funcGetParamInfo = new Call.LLLL(functions.find("cuFuncGetParamInfo", PARAM_INFO_SINCE));
    occupancyMaxActiveBlocks =
        new Call.LLIL(functions.find("cuOccupancyMaxActiveBlocksPerMultiprocessor", 6050));
    occupancyMaxPotentialBlockSize =
        new Call.LLLLLI(functions.find("cuOccupancyMaxPotentialBlockSize", 6050));
    launchKernel = new Call.LIIIIIIILLL(functions.find("cuLaunchKernel", 4000));
  }

  @Override
  public int cuModuleLoadDataEx(Handle[] module, byte[] image, byte[] infoLog, byte[] errorLog) {
    int[] keys = {
      JIT_INFO_LOG_BUFFER, JIT_INFO_LOG_BUFFER + 1, JIT_ERROR_LOG_BUFFER, JIT_ERROR_LOG_BUFFER + 1
    };
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment info = arena.allocate(infoLog.length);
      MemorySegment error = arena.allocate(errorLog.length);
      MemorySegment options = arena.allocateFrom(JAVA_INT, keys);
      // Sizes are stored in the place of pointers.
      MemorySegment values =
          arena.allocateFrom(
              JAVA_LONG, info.address(), infoLog.length, error.address(), errorLog.length);
      MemorySegment made = arena.allocate(JAVA_LONG);
      int result =
          moduleLoadDataEx.call(
              made.address(),
              arena.allocateFrom(JAVA_BYTE, image).address(),
              keys.length,
              options.address(),
              values.address());
      module[0] = new FfmHandle(made.get(JAVA_LONG, 0));
      MemorySegment.copy(info, JAVA_BYTE, 0, infoLog, 0, infoLog.length);
      MemorySegment.copy(error, JAVA_BYTE, 0, errorLog, 0, errorLog.length);
      return result;
    }
  }

  @Override
  public int cuModuleUnload(Handle module) {
    return moduleUnload.call(module.getAddress());
  }

  @Override
  public int cuModuleGetFunction(Handle[] function, Handle module, String name) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment found = arena.allocate(JAVA_LONG);
      int result =
          moduleGetFunction.call(
              found.address(), module.getAddress(), arena.allocateFrom(name).address());
      function[0] = new FfmHandle(found.get(JAVA_LONG, 0));
      return result;
    }
  }

  @Override
  public int cuModuleGetGlobal(long[] addressAndBytes, Handle module, String name) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment found = arena.allocate(JAVA_LONG, 2);
      int result =
          moduleGetGlobal.call(
              found.address(),
              found.address() + Long.BYTES,
              module.getAddress(),
              arena.allocateFrom(name).address());
      MemorySegment.copy(found, JAVA_LONG, 0, addressAndBytes, 0, 2);
      return result;
    }
  }

  @Override
  public int cuFuncGetAttribute(int[] value, int attribute, Handle function) {
    long cell = Cells.take();
    try {
      int result = funcGetAttribute.call(cell, attribute, function.getAddress());
      value[0] = Cells.getInt(cell);
      return result;
    } finally {
      Cells.give(cell);
    }
  }

  @Override
  public int cuFuncSetAttribute(Handle function, int attribute, int value) {
    return funcSetAttribute.call(function.getAddress(), attribute, value);
  }

  @Override
  public int cuFuncGetParamInfo(Handle function, long index, long[] offsetAndSize) {
    long cell = Cells.take();
    try {
      int result = funcGetParamInfo.call(function.getAddress(), index, cell, cell + Long.BYTES);
      offsetAndSize[0] = Cells.getLong(cell);
      offsetAndSize[1] = Cells.getLong(cell + Long.BYTES);
      return result;
    } finally {
      Cells.give(cell);
    }
  }

  @Override
  public int cuOccupancyMaxActiveBlocksPerMultiprocessor(
      int[] blocks, Handle function, int threadsPerBlock, long dynamicSharedBytes) {
    long cell = Cells.take();
    try {
      int result =
          occupancyMaxActiveBlocks.call(
              cell, function.getAddress(), threadsPerBlock, dynamicSharedBytes);
      blocks[0] = Cells.getInt(cell);
      return result;
    } finally {
      Cells.give(cell);
    }
  }

  @Override
  public int cuOccupancyMaxPotentialBlockSize(
      int[] blocksAndThreads, Handle function, long dynamicSharedBytes) {
    long cell = Cells.take();
    try {
      int result =
          occupancyMaxPotentialBlockSize.call(
              cell, cell + Integer.BYTES, function.getAddress(), 0, dynamicSharedBytes, 0);
      blocksAndThreads[0] = Cells.getInt(cell);
      blocksAndThreads[1] = Cells.getInt(cell + Integer.BYTES);
      return result;
    } finally {
      Cells.give(cell);
    }
  }

  /**
   * The arguments, behind the list of addresses that the driver takes.
   *
   * @param bytes the arguments; keeps the memory reachable
   * @param extra the address of the list; 0 without parameters
   */
  private record Parameters(ByteBuffer bytes, long extra) implements ParameterSpace {}

  @Override
  public ParameterSpace createParameters(int bytes) {
    long[] extra = {LAUNCH_PARAM_BUFFER_POINTER, 0, LAUNCH_PARAM_BUFFER_SIZE, 0, 0, bytes};
    long header = (long) extra.length * Long.BYTES;
    MemorySegment memory = Arena.ofAuto().allocate(header + bytes, Long.BYTES);
    extra[1] = memory.address() + header;
    extra[3] = memory.address() + header - Long.BYTES;
    MemorySegment.copy(extra, 0, memory, JAVA_LONG, 0, extra.length);
    return new Parameters(
        memory.asSlice(header).asByteBuffer().order(ByteOrder.nativeOrder()),
        bytes == 0 ? 0 : memory.address());
  }

  @Override
  public int cuLaunchKernel(
      Handle function, LaunchConfig config, Handle stream, ParameterSpace parameters) {
    Dim3 grid = config.grid();
    Dim3 block = config.block();
    return launchKernel.call(
        function.getAddress(),
        grid.x(),
        grid.y(),
        grid.z(),
        block.x(),
        block.y(),
        block.z(),
        config.dynamicSharedBytes(),
        stream.getAddress(),
        0,
        ((Parameters) parameters).extra());
  }
}
