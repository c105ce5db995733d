package org.vramkit.agent;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntToLongFunction;
import org.jspecify.annotations.Nullable;
import org.vramkit.agent.Arguments.Call;
import org.vramkit.agent.Arguments.Handles;
import org.vramkit.agent.Arguments.Result;
import org.vramkit.api.device.KernelParameter;
import org.vramkit.api.device.ModuleGlobal;
import org.vramkit.api.error.ModuleLoadException;

/** The driver: modules, functions, occupancy. */
final class DriverModules {
  /** Options of the compiler that name places for its log. */
  static final int INFO_LOG = 3;

  static final int INFO_LOG_BYTES = 4;
  static final int ERROR_LOG = 5;
  static final int ERROR_LOG_BYTES = 6;

  private static final int MOST_OPTIONS = 33;

  /** The option of a GPU to compile for, of which the driver knows those from Maxwell on. */
  static final int TARGET = 9;

  private static final int OLDEST_TARGET = 50;

  /** Options with a largest value: the level of optimization, blocks of a multiprocessor. */
  private static final int OPTIMIZATION_LEVEL = 7;

  private static final int MOST_OPTIMIZED = 4;
  private static final int MIN_BLOCKS = 31;
  private static final int MOST_BLOCKS = 32;

  /** An option that the compiler no longer has. */
  private static final int NEW_SM3X_OPT = 15;

  /** Options of the linker alone: modes of caches, names and addresses of symbols. */
  private static final Set<Integer> OTHER_OPTIONS = Set.of(14, 17, 18, 19);

  private DriverModules() {}

  private static CudaModule module(long module) {
    return CudaProcess.get().get(module, CudaModule.class, CudaError.INVALID_HANDLE);
  }

  /** Returns the function of a handle. */
  static CudaFunction function(long function) {
    return CudaError.found(CudaFunction.find(function), CudaError.INVALID_HANDLE);
  }

  static void load(Result module, byte[] image) {
    module.set(CudaModule.load(CudaThread.current().context(), image).handle);
  }

  static void cuModuleLoad(Result module, String file) {
    CudaError.require(!file.isEmpty(), CudaError.INVALID_VALUE);
    Path path = Path.of(file);
    CudaError.require(Files.exists(path), CudaError.FILE_NOT_FOUND);
    try {
      load(module, Files.readAllBytes(path));
    } catch (IOException folder) {
      throw new CudaError(CudaError.OUT_OF_MEMORY);
    }
  }

  static void cuModuleLoadData(Result module, CudaPointer image) {
    load(module, image.text());
  }

  static void cuModuleLoadDataEx(
      Result module, CudaPointer image, int count, CudaPointer options, CudaPointer values) {
    CudaError.require(
        count == 0 || (!options.isNull() && !values.isNull()), CudaError.INVALID_VALUE);
    Map<Integer, CudaPointer> given = new HashMap<>();
    for (int i = 0; i < count; i++) {
      int option = options.plus((long) i * Integer.BYTES).readInt();
      boolean isKnown = option >= 0 && option <= MOST_OPTIONS && !OTHER_OPTIONS.contains(option);
      CudaError.require(isKnown, CudaError.INVALID_VALUE);
      given.put(option, values.plus((long) i * Long.BYTES));
    }
    CudaPointer target = given.get(TARGET);
    CudaError.require(target == null || target.readInt() >= OLDEST_TARGET, CudaError.INVALID_VALUE);
    boolean isPossible =
        isAtMost(given.get(OPTIMIZATION_LEVEL), MOST_OPTIMIZED)
            && isAtMost(given.get(MIN_BLOCKS), MOST_BLOCKS);
    CudaError.require(isPossible && !given.containsKey(NEW_SM3X_OPT), CudaError.INVALID_PTX);
    try {
      load(module, image.text());
      log(given, ERROR_LOG, ERROR_LOG_BYTES, "");
    } catch (ModuleLoadException e) {
      log(given, ERROR_LOG, ERROR_LOG_BYTES, e.getLog());
      throw e;
    } finally {
      log(given, INFO_LOG, INFO_LOG_BYTES, "");
    }
  }

  private static boolean isAtMost(@Nullable CudaPointer value, int most) {
    return value == null || Integer.compareUnsigned(value.readInt(), most) <= 0;
  }

  /** Writes a log where the options have room for it, and its length in the place of the room's. */
  private static void log(Map<Integer, CudaPointer> options, int option, int size, String text) {
    CudaPointer room = options.get(option);
    CudaPointer length = options.get(size);
    if (room == null || length == null || length.readInt() <= 0) {
      return;
    }
    byte[] log = new byte[length.readInt()];
    length.write((long) logInto(log, text));
    CudaPointer.at(room.readLong()).write(ByteBuffer.wrap(log));
  }

  /** Writes a log and zeros behind it, of which there is one at least; returns its length. */
  static int logInto(byte[] room, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    byte[] written = Arrays.copyOf(Arrays.copyOf(bytes, room.length - 1), room.length);
    System.arraycopy(written, 0, room, 0, room.length);
    return Math.min(bytes.length, room.length);
  }

  static void cuModuleUnload(long module) {
    module(module).destroy();
  }

  /** Answers that modules are loaded lazily, as by default since CUDA 12. */
  static void cuModuleGetLoadingMode(Result mode) {
    mode.set(2);
  }

  static void cuModuleGetFunction(@Nullable Result function, long module, @Nullable String name) {
    CudaModule of = module(module);
    Result result = CudaError.found(function, CudaError.INVALID_VALUE);
    String wanted = CudaError.found(name, CudaError.INVALID_VALUE);
    result.set(0);
    CudaError.require(!wanted.isEmpty(), CudaError.INVALID_VALUE);
    result.set(of.function(wanted).handle);
  }

  static void cuModuleGetGlobal(
      @Nullable Result pointer, @Nullable Result bytes, long module, @Nullable String name) {
    CudaModule of = module(module);
    String wanted = CudaError.found(name, CudaError.INVALID_VALUE);
    CudaError.require(pointer != null || bytes != null, CudaError.INVALID_VALUE);
    if (pointer != null) {
      pointer.set(0);
    }
    if (bytes != null) {
      bytes.set(0);
    }
    ModuleGlobal variable = of.variable(wanted);
    if (pointer != null) {
      pointer.set(variable.address());
    }
    if (bytes != null) {
      bytes.set(variable.size());
    }
  }

  static void cuModuleGetFunctionCount(Result count, long module) {
    count.set(module(module).kernels.size());
  }

  static void cuModuleEnumerateFunctions(Handles functions, int count, long module) {
    CudaModule of = module(module);
    for (int i = 0; i < Math.min(count, of.kernels.size()); i++) {
      functions.set(i, of.function(of.kernels.get(i)).handle);
    }
  }

  // ---- libraries, which are modules of the context that loads them ----

  static void cuLibraryLoadData(
      Result library,
      CudaPointer image,
      CudaPointer options,
      CudaPointer values,
      int count,
      CudaPointer ofLibrary,
      CudaPointer valuesOfLibrary,
      int countOfLibrary) {
    cuModuleLoadDataEx(library, image, count, options, values);
  }

  static void cuLibraryLoadFromFile(
      Result library,
      String file,
      CudaPointer options,
      CudaPointer values,
      int count,
      CudaPointer ofLibrary,
      CudaPointer valuesOfLibrary,
      int countOfLibrary) {
    cuModuleLoad(library, file);
  }

  static void cuLibraryGetModule(Result module, long library) {
    module.set(module(library).handle);
  }

  static void cuKernelGetFunction(Result function, long kernel) {
    function.set(function(kernel).handle);
  }

  static void cuLibraryGetKernel(Result kernel, long library, String name) {
    kernel.set(module(library).function(name).ofLibrary.handle());
  }

  static void cuLibraryEnumerateKernels(Handles kernels, int count, long library) {
    CudaModule of = module(library);
    for (int i = 0; i < Math.min(count, of.kernels.size()); i++) {
      kernels.set(i, of.function(of.kernels.get(i)).ofLibrary.handle());
    }
  }

  static void cuKernelGetAttribute(Result value, int attribute, long kernel, int device) {
    CudaFunction found = function(kernel);
    DriverDevices.device(device);
    value.set(found.attribute(attribute));
  }

  static void cuKernelSetAttribute(int attribute, int value, long kernel, int device) {
    CudaFunction found = function(kernel);
    DriverDevices.device(device);
    found.setAttribute(attribute, value);
  }

  // ---- functions ----

  /** Accepts a load, since functions are loaded with their modules here. */
  static void cuFuncLoad(long function) {
    function(function);
  }

  static void cuFuncIsLoaded(Result state, long function) {
    function(function);
    state.set(1);
  }

  static void cuFuncGetModule(Call call, Result module, long function) {
    module.set(call.function(function).module.handle);
  }

  static void cuFuncGetAttribute(Result value, int attribute, long function) {
    value.set(function(function).attribute(attribute));
  }

  static void cuFuncGetName(Call call, Result name, long function) {
    name.set(call.function(function).kernel.getName());
  }

  static void cuFuncGetParamInfo(
      Call call, long function, long index, @Nullable Result offset, @Nullable Result size) {
    List<KernelParameter> parameters = call.function(function).parameters();
    Result first = CudaError.found(offset, CudaError.INVALID_VALUE);
    CudaError.require(index >= 0 && index < parameters.size(), CudaError.INVALID_VALUE);
    first.set(parameters.get((int) index).offset());
    if (size != null) {
      size.set(parameters.get((int) index).size());
    }
  }

  static void cuFuncSetAttribute(Call call, long function, int attribute, int value) {
    boolean isRuntime = call.row().setsLastError();
    boolean isKnown = !isRuntime || CudaFunction.isSettable(attribute);
    CudaError.require(isKnown, CudaError.INVALID_VALUE);
    call.function(function).setAttribute(attribute, value);
  }

  /** Accepts a preference of caches, which changes no result. */
  static void cuFuncSetCacheConfig(Call call, long function, int config) {
    call.function(function);
    CudaError.require(config >= 0 && config <= 3, CudaError.INVALID_VALUE);
  }

  /** Accepts a size of banks, which devices since compute capability 5.0 do not have. */
  static void cuFuncSetSharedMemConfig(Call call, long function, int config) {
    call.function(function);
    CudaError.require(config >= 0 && config <= 2, CudaError.INVALID_VALUE);
  }

  static void cuOccupancyMaxActiveBlocksPerMultiprocessor(
      Call call, @Nullable Result blocks, long function, int threads, long shared, int flags) {
    call.requireFunction(function);
    Result result = CudaError.found(blocks, CudaError.INVALID_VALUE);
    CudaError.require((flags & ~1) == 0, CudaError.INVALID_VALUE);
    result.set(function(function).activeBlocks(threads, shared));
  }

  /** Returns the dynamic shared memory of a block that lets a number of blocks be resident. */
  static void cuOccupancyAvailableDynamicSMemPerBlock(
      Call call, @Nullable Result bytes, long function, int blocks, int threads) {
    call.requireFunction(function);
    Result result = CudaError.found(bytes, CudaError.INVALID_VALUE);
    CudaError.require(blocks > 0 && threads > 0, CudaError.INVALID_VALUE);
    result.set(function(function).sharedBytesLeft(blocks, threads));
  }

  static void cuOccupancyMaxPotentialBlockSize(
      Result blocks,
      Result threads,
      long function,
      @Nullable IntToLongFunction sharedBytesOf,
      long sharedBytes,
      int limit,
      int flags) {
    CudaFunction found = function(function);
    CudaError.require((flags & ~1) == 0 && limit >= 0, CudaError.INVALID_VALUE);
    IntToLongFunction shared = sharedBytesOf == null ? number -> sharedBytes : sharedBytesOf;
    int suggested = found.potentialBlockSize(shared, limit);
    threads.set(suggested);
    blocks.set(
        suggested == 0
            ? 0
            : found.activeBlocks(suggested, shared.applyAsLong(suggested))
                * found.context.device.getProperties().multiprocessors());
  }
}
