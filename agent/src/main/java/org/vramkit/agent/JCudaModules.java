package org.vramkit.agent;

import static org.vramkit.agent.JCudaPointers.handleOf;
import static org.vramkit.agent.JCudaPointers.requireNonNull;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.function.IntToLongFunction;
import jcuda.Pointer;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUfunction;
import jcuda.driver.CUmodule;
import jcuda.driver.CUoccupancyB2DSize;
import jcuda.driver.JITOptions;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.ModuleGlobal;
import org.vramkit.api.error.ModuleLoadException;

/** JCuda's driver: modules, functions, occupancy. */
final class JCudaModules {
  /** Options of the compiler that name places for its log. */
  private static final int INFO_LOG = 3;

  private static final int INFO_LOG_BYTES = 4;
  private static final int ERROR_LOG = 5;
  private static final int ERROR_LOG_BYTES = 6;

  /** The number of the attribute that a program may set, and of the preference of caches. */
  private static final int MAX_DYNAMIC_SHARED = 8;

  private static final int PREFERRED_CARVEOUT = 9;
  private static final int MOST_PERCENT = 100;

  private JCudaModules() {}

  private static CudaModule module(CUmodule module) {
    return CudaProcess.get().get(handleOf(module), CudaModule.class, CudaError.INVALID_HANDLE);
  }

  /** Returns the function of a handle. */
  static CudaFunction function(CUfunction function) {
    return CudaProcess.get().get(handleOf(function), CudaFunction.class, CudaError.INVALID_HANDLE);
  }

  private static void load(CUmodule module, byte[] image) {
    JCudaPointers.set(module, CudaModule.load(CudaThread.current().context(), image).handle);
  }

  static int cuModuleLoad(CUmodule module, String file) {
    requireNonNull(module, "module", "cuModuleLoad");
    requireNonNull(file, "fname", "cuModuleLoad");
    CudaError.require(!file.isEmpty(), CudaError.INVALID_VALUE);
    Path path = Path.of(file);
    CudaError.require(Files.exists(path), CudaError.FILE_NOT_FOUND);
    try {
      load(module, Files.readAllBytes(path));
    } catch (IOException folder) {
      throw new CudaError(CudaError.OUT_OF_MEMORY);
    }
    return 0;
  }

  static int cuModuleLoadData(CUmodule module, byte[] image) {
    requireNonNull(module, "module", "cuModuleLoadData");
    requireNonNull(image, "image", "cuModuleLoadData");
    load(module, image);
    return 0;
  }

  static int cuModuleLoadDataEx(
      CUmodule module,
      Pointer image,
      int count,
      int @Nullable [] options,
      @Nullable Pointer values) {
    requireNonNull(module, "phMod", "cuModuleLoadDataEx");
    requireNonNull(image, "p", "cuModuleLoadDataEx");
    CudaError.require(count == 0 || (options != null && values != null), 1);
    for (int i = 0; i < count && options != null; i++) {
      if (options[i] >= INFO_LOG && options[i] <= ERROR_LOG_BYTES) {
        throw new UnsupportedOperationException(
            "cuModuleLoadDataEx: logs are simulated for cuModuleLoadDataJIT only; use it for them");
      }
    }
    load(module, JCudaPointers.text(image));
    return 0;
  }

  static int cuModuleLoadDataJIT(CUmodule module, Pointer image, JITOptions options) {
    requireNonNull(module, "module", "cuModuleLoadDataJIT");
    requireNonNull(image, "pointer", "cuModuleLoadDataJIT");
    requireNonNull(options, "jitOptions", "cuModuleLoadDataJIT");
    try {
      load(module, JCudaPointers.text(image));
      log(options, INFO_LOG, INFO_LOG_BYTES, "");
      log(options, ERROR_LOG, ERROR_LOG_BYTES, "");
    } catch (ModuleLoadException e) {
      log(options, ERROR_LOG, ERROR_LOG_BYTES, e.getLog());
      throw e;
    }
    return 0;
  }

  /** Writes a log where the options have room for it. */
  private static void log(JITOptions options, int log, int size, String text) {
    byte[] room = options.getBytes(log);
    if (room != null && room.length > 0) {
      byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      int written = Math.min(bytes.length, room.length - 1);
      Arrays.fill(room, (byte) 0);
      System.arraycopy(bytes, 0, room, 0, written);
      options.putInt(size, written);
    }
  }

  static int cuModuleUnload(CUmodule module) {
    requireNonNull(module, "module", "cuModuleUnload");
    module(module).destroy();
    return 0;
  }

  /** Answers that modules are loaded lazily, as by default since CUDA 12. */
  static int cuModuleGetLoadingMode(int[] mode) {
    requireNonNull(mode, "mode", "cuModuleGetLoadingMode");
    mode[0] = 2;
    return 0;
  }

  static int cuModuleGetFunction(CUfunction function, CUmodule module, String name) {
    requireNonNull(function, "hfunc", "cuModuleGetFunction");
    requireNonNull(module, "hmod", "cuModuleGetFunction");
    requireNonNull(name, "name", "cuModuleGetFunction");
    JCudaPointers.set(function, module(module).function(name).handle);
    return 0;
  }

  static int cuModuleGetGlobal(
      @Nullable CUdeviceptr pointer, long @Nullable [] bytes, CUmodule module, String name) {
    requireNonNull(module, "hmod", "cuModuleGetGlobal");
    requireNonNull(name, "name", "cuModuleGetGlobal");
    ModuleGlobal variable = module(module).variable(name);
    if (pointer != null) {
      JCudaPointers.set(pointer, variable.address());
    }
    if (bytes != null) {
      bytes[0] = variable.size();
    }
    return 0;
  }

  static int cuFuncGetModule(CUmodule module, CUfunction function) {
    requireNonNull(module, "hmod", "cuFuncGetModule");
    requireNonNull(function, "func", "cuFuncGetModule");
    JCudaPointers.set(module, function(function).module.handle);
    return 0;
  }

  static int cuFuncGetAttribute(int[] value, int attribute, CUfunction function) {
    requireNonNull(value, "pi", "cuFuncGetAttribute");
    requireNonNull(function, "func", "cuFuncGetAttribute");
    value[0] = function(function).attribute(attribute);
    return 0;
  }

  static int cuFuncSetAttribute(CUfunction function, int attribute, int value) {
    requireNonNull(function, "hfunc", "cuFuncSetAttribute");
    CudaFunction found = function(function);
    if (attribute == PREFERRED_CARVEOUT) {
      CudaError.require(value >= -1 && value <= MOST_PERCENT, CudaError.INVALID_VALUE);
      return 0;
    }
    CudaError.require(attribute == MAX_DYNAMIC_SHARED, CudaError.INVALID_VALUE);
    found.kernel.setMaxDynamicSharedBytes(value);
    return 0;
  }

  /** Accepts a preference of caches, which changes no result. */
  static int cuFuncSetCacheConfig(CUfunction function, int config) {
    requireNonNull(function, "hfunc", "cuFuncSetCacheConfig");
    function(function);
    CudaError.require(config >= 0 && config <= 3, CudaError.INVALID_VALUE);
    return 0;
  }

  /** Accepts a size of banks, which devices since compute capability 5.0 do not have. */
  static int cuFuncSetSharedMemConfig(CUfunction function, int config) {
    requireNonNull(function, "hfunc", "cuFuncSetSharedMemConfig");
    function(function);
    CudaError.require(config >= 0 && config <= 2, CudaError.INVALID_VALUE);
    return 0;
  }

  static int cuOccupancyMaxActiveBlocksPerMultiprocessor(
      int[] blocks, CUfunction function, int threads, long sharedBytes) {
    String name = "cuOccupancyMaxActiveBlocksPerMultiprocessor";
    requireNonNull(blocks, "numBlocks", name);
    requireNonNull(function, "func", name);
    blocks[0] = function(function).activeBlocks(threads, sharedBytes);
    return 0;
  }

  static int cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
      int[] blocks, CUfunction function, int threads, long sharedBytes, int flags) {
    CudaError.require((flags & ~1) == 0, CudaError.INVALID_VALUE);
    return cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, threads, sharedBytes);
  }

  static int cuOccupancyMaxPotentialBlockSizeWithFlags(
      int[] blocks,
      int[] threads,
      CUfunction function,
      @Nullable CUoccupancyB2DSize sharedBytesOf,
      long sharedBytes,
      int limit,
      int flags) {
    CudaError.require((flags & ~1) == 0, CudaError.INVALID_VALUE);
    return cuOccupancyMaxPotentialBlockSize(
        blocks, threads, function, sharedBytesOf, sharedBytes, limit);
  }

  static int cuOccupancyMaxPotentialBlockSize(
      int[] blocks,
      int[] threads,
      CUfunction function,
      @Nullable CUoccupancyB2DSize sharedBytesOf,
      long sharedBytes,
      int limit) {
    String name = "cuOccupancyMaxPotentialBlockSize";
    requireNonNull(blocks, "minGridSize", name);
    requireNonNull(threads, "blockSize", name);
    requireNonNull(function, "func", name);
    CudaFunction found = function(function);
    IntToLongFunction shared =
        sharedBytesOf == null ? number -> sharedBytes : number -> sharedBytesOf.call(number);
    int suggested = found.potentialBlockSize(shared, limit);
    threads[0] = suggested;
    blocks[0] =
        suggested == 0
            ? 0
            : found.activeBlocks(suggested, shared.applyAsLong(suggested))
                * found.context.device.getProperties().multiprocessors();
    return 0;
  }
}
