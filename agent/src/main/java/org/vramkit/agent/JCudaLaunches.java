package org.vramkit.agent;

import static org.vramkit.agent.JCudaPointers.handleOf;
import static org.vramkit.agent.JCudaPointers.requireNonNull;

import java.nio.ByteBuffer;
import jcuda.NativePointerObject;
import jcuda.Pointer;
import jcuda.driver.CUfunction;
import jcuda.driver.CUstream;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Dim3;
import org.vramkit.api.device.KernelParameter;
import org.vramkit.api.device.LaunchConfig;

/**
 * JCuda's driver: launches. Lists of parameters are addresses in C, which a driver reads without a
 * check; here, a list that cannot be read is an error that shows the kernel's parameters.
 */
final class JCudaLaunches {
  /** Entries of {@code extra} that announce the next one. */
  private static final long BUFFER_POINTER = 1;

  private static final long BUFFER_SIZE = 2;

  private JCudaLaunches() {}

  static int cuLaunchKernel(
      CUfunction function,
      int gridX,
      int gridY,
      int gridZ,
      int blockX,
      int blockY,
      int blockZ,
      int sharedBytes,
      @Nullable CUstream stream,
      @Nullable Pointer parameters,
      @Nullable Pointer extra) {
    requireNonNull(function, "f", "cuLaunchKernel");
    CudaFunction found = JCudaModules.function(function);
    CudaStream on = JCudaStreams.stream(stream);
    LaunchConfig config =
        new LaunchConfig(
            new Dim3(gridX, gridY, gridZ), new Dim3(blockX, blockY, blockZ), sharedBytes);
    found.launch(on, config, packed(found, parameters, extra));
    return 0;
  }

  private static ByteBuffer packed(
      CudaFunction function, @Nullable Pointer parameters, @Nullable Pointer extra) {
    ByteBuffer packed = function.newParameters();
    if (function.parameters().isEmpty()) {
      return packed;
    }
    boolean one = (parameters == null) != (extra == null);
    CudaError.require(one, CudaError.INVALID_VALUE);
    if (parameters != null) {
      fill(packed, function, parameters);
    } else if (extra != null) {
      unpack(packed, function, extra);
    }
    return packed;
  }

  /** Reads the parameters from the addresses of a list. */
  private static void fill(ByteBuffer packed, CudaFunction function, Pointer list) {
    NativePointerObject[] entries = JCudaPointers.listOf(list);
    if (entries == null) {
      throw wrong(function, "the list of parameters is " + list + "; pass Pointer.to(Pointer...)");
    }
    int first = Math.toIntExact(JCudaPointers.offsetOf(list) / Long.BYTES);
    int number = 0;
    for (KernelParameter each : function.parameters()) {
      int entry = first + number++;
      if (entry < 0 || entry >= entries.length) {
        throw wrong(function, "the list of parameters has " + entries.length + " entries");
      }
      ByteBuffer value = read(function, number, each, entries[entry]);
      packed.put(each.offset(), value, value.position(), each.size());
    }
  }

  private static ByteBuffer read(
      CudaFunction function, int number, KernelParameter wanted, @Nullable Object entry) {
    HostMemory memory = entry instanceof Pointer pointer ? JCudaPointers.hostOf(pointer) : null;
    if (memory == null) {
      throw wrong(
          function,
          "parameter "
              + number
              + ", "
              + wanted
              + ", would be read at "
              + entry
              + ", which is no memory of the host; pass Pointer.to("
              + (entry == null ? "value" : "pointer")
              + ") in the list");
    }
    try {
      return memory.read(wanted.size());
    } catch (IllegalArgumentException e) {
      throw wrong(function, "parameter " + number + ", " + wanted + ": " + e.getMessage());
    }
  }

  private static IllegalArgumentException wrong(CudaFunction function, String problem) {
    return new IllegalArgumentException(
        "cannot launch "
            + function.kernel.getName()
            + ": "
            + problem
            + "\n  kernel  "
            + function.kernel.getSignature());
  }

  /** Reads packed parameters, to which the entries of {@code extra} lead. */
  private static void unpack(ByteBuffer packed, CudaFunction function, Pointer extra) {
    NativePointerObject[] entries = JCudaPointers.listOf(extra);
    if (entries == null) {
      throw wrong(function, "extra is " + extra + "; pass Pointer.to(CU_LAUNCH_PARAM_...)");
    }
    HostMemory buffer = null;
    for (int i = 0; i + 1 < entries.length && handleOf(entries[i]) != 0; i += 2) {
      HostMemory value =
          entries[i + 1] instanceof Pointer pointer ? JCudaPointers.hostOf(pointer) : null;
      if (value == null) {
        throw wrong(function, "entry " + (i + 1) + " of extra is " + entries[i + 1]);
      }
      if (handleOf(entries[i]) == BUFFER_POINTER) {
        buffer = value;
      } else if (handleOf(entries[i]) == BUFFER_SIZE) {
        long size = value.read(Long.BYTES).order(packed.order()).getLong();
        CudaError.require(size == packed.capacity(), CudaError.INVALID_VALUE);
      }
    }
    HostMemory found = CudaError.found(buffer, CudaError.INVALID_VALUE);
    packed.put(0, found.read(packed.capacity()), 0, packed.capacity());
  }

  // ---- launches as before CUDA 4, whose parameters belong to the function ----

  static int cuFuncSetBlockShape(CUfunction function, int x, int y, int z) {
    requireNonNull(function, "hfunc", "cuFuncSetBlockShape");
    CudaError.require(x > 0 && y > 0 && z > 0, CudaError.INVALID_VALUE);
    JCudaModules.function(function).older.block = new Dim3(x, y, z);
    return 0;
  }

  static int cuFuncSetSharedSize(CUfunction function, int bytes) {
    requireNonNull(function, "hfunc", "cuFuncSetSharedSize");
    CudaError.require(bytes >= 0, CudaError.INVALID_VALUE);
    JCudaModules.function(function).older.sharedBytes = bytes;
    return 0;
  }

  static int cuParamSetSize(CUfunction function, int bytes) {
    requireNonNull(function, "hfunc", "cuParamSetSize");
    CudaFunction found = JCudaModules.function(function);
    CudaError.require(bytes >= 0, CudaError.INVALID_VALUE);
    if (bytes < found.older.parameters.capacity()) {
      throw wrong(found, "its parameters take " + found.older.parameters.capacity() + " bytes");
    }
    return 0;
  }

  static int cuParamSeti(CUfunction function, int offset, int value) {
    requireNonNull(function, "hfunc", "cuParamSeti");
    parameters(function, offset, Integer.BYTES).putInt(offset, value);
    return 0;
  }

  static int cuParamSetf(CUfunction function, int offset, float value) {
    requireNonNull(function, "hfunc", "cuParamSetf");
    parameters(function, offset, Float.BYTES).putFloat(offset, value);
    return 0;
  }

  static int cuParamSetv(CUfunction function, int offset, Pointer value, int bytes) {
    requireNonNull(function, "hfunc", "cuParamSetv");
    requireNonNull(value, "ptr", "cuParamSetv");
    HostMemory memory = CudaError.found(JCudaPointers.hostOf(value), CudaError.INVALID_VALUE);
    ByteBuffer read = memory.read(bytes);
    parameters(function, offset, bytes).put(offset, read, read.position(), bytes);
    return 0;
  }

  private static ByteBuffer parameters(CUfunction function, int offset, int bytes) {
    ByteBuffer parameters = JCudaModules.function(function).older.parameters;
    CudaError.require(
        offset >= 0 && bytes >= 0 && bytes <= parameters.capacity() - offset,
        CudaError.INVALID_VALUE);
    return parameters;
  }

  static int cuLaunch(CUfunction function) {
    requireNonNull(function, "f", "cuLaunch");
    launch(function, 1, 1, null);
    return 0;
  }

  static int cuLaunchGrid(CUfunction function, int width, int height) {
    requireNonNull(function, "f", "cuLaunchGrid");
    launch(function, width, height, null);
    return 0;
  }

  static int cuLaunchGridAsync(
      CUfunction function, int width, int height, @Nullable CUstream stream) {
    requireNonNull(function, "f", "cuLaunchGridAsync");
    launch(function, width, height, stream);
    return 0;
  }

  private static void launch(
      CUfunction function, int width, int height, @Nullable CUstream stream) {
    CudaFunction found = JCudaModules.function(function);
    LaunchConfig config =
        new LaunchConfig(new Dim3(width, height, 1), found.older.block, found.older.sharedBytes);
    found.launch(JCudaStreams.stream(stream), config, found.older.parameters);
  }
}
