package org.vramkit.cuda.driver;

import org.vramkit.api.device.LaunchConfig;

/** Calls for modules and kernels of the current context. */
public interface KernelCalls {

  /** The first driver version that has all of these calls but {@link #cuFuncGetParamInfo}. */
  int SINCE = 9000;

  /** The first driver version that has {@link #cuFuncGetParamInfo}. */
  int PARAM_INFO_SINCE = 12040;

  /** {@code CU_JIT_INFO_LOG_BUFFER}, followed by the number of the option for its size. */
  int JIT_INFO_LOG_BUFFER = 3;

  /** {@code CU_JIT_ERROR_LOG_BUFFER}, followed by the number of the option for its size. */
  int JIT_ERROR_LOG_BUFFER = 5;

  /** {@code CU_LAUNCH_PARAM_BUFFER_POINTER}: the address of the packed arguments follows. */
  long LAUNCH_PARAM_BUFFER_POINTER = 1;

  /** {@code CU_LAUNCH_PARAM_BUFFER_SIZE}: the address of their size follows. */
  long LAUNCH_PARAM_BUFFER_SIZE = 2;

  /** The calls of a driver that has none. */
  KernelCalls ABSENT = new AbsentKernels();

  /**
   * Loads a module.
   *
   * @param image PTX that ends in a zero byte, or a binary
   * @param infoLog receives messages, terminated by a zero byte
   * @param errorLog receives errors, terminated by a zero byte
   */
  int cuModuleLoadDataEx(Handle[] module, byte[] image, byte[] infoLog, byte[] errorLog);

  /** Unloads a module. */
  int cuModuleUnload(Handle module);

  /** Gets a kernel of a module. */
  int cuModuleGetFunction(Handle[] function, Handle module, String name);

  /**
   * Gets a variable of a module.
   *
   * @param addressAndBytes receives the address and the size
   */
  int cuModuleGetGlobal(long[] addressAndBytes, Handle module, String name);

  /** Gets an attribute by its {@code CUfunction_attribute} number. */
  int cuFuncGetAttribute(int[] value, int attribute, Handle function);

  /** Sets an attribute. */
  int cuFuncSetAttribute(Handle function, int attribute, int value);

  /**
   * Gets a parameter of a kernel; {@code CUDA_ERROR_INVALID_VALUE} after the last one.
   *
   * @param offsetAndSize receives both, in bytes
   */
  int cuFuncGetParamInfo(Handle function, long index, long[] offsetAndSize);

  /** Gets the number of blocks that can be resident on a multiprocessor. */
  int cuOccupancyMaxActiveBlocksPerMultiprocessor(
      int[] blocks, Handle function, int threadsPerBlock, long dynamicSharedBytes);

  /**
   * Gets the configuration with most resident threads, of any block size.
   *
   * @param blocksAndThreads receives the blocks of the grid and the threads of a block
   */
  int cuOccupancyMaxPotentialBlockSize(
      int[] blocksAndThreads, Handle function, long dynamicSharedBytes);

  /** Creates memory for the arguments of launches; {@code bytes} may be 0. */
  ParameterSpace createParameters(int bytes);

  /** Launches a kernel, with the arguments as one packed buffer. */
  int cuLaunchKernel(
      Handle function, LaunchConfig config, Handle stream, ParameterSpace parameters);
}
