package org.vramkit.agent;

import java.nio.ByteBuffer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.vramkit.agent.Arguments.PointerList;
import org.vramkit.agent.Arguments.Struct;
import org.vramkit.agent.CudaMemory.Block;
import org.vramkit.api.device.Dim3;
import org.vramkit.api.device.KernelParameter;
import org.vramkit.api.device.LaunchConfig;
import org.vramkit.api.error.InvalidArgumentException;

/**
 * JCuda's driver: launches. Lists of parameters are addresses in C, which a driver reads without a
 * check; here, a list that cannot be read is an error that shows the kernel's parameters.
 */
final class DriverLaunches {
  /** Entries of {@code extra} that announce the next one. */
  private static final long BUFFER_POINTER = 1;

  private static final long BUFFER_SIZE = 2;

  /** The number of the attribute of a launch that has the size of its clusters. */
  private static final int CLUSTER = 4;

  /** The most threads of a block in its third dimension. */
  private static final int MOST_DEPTH = 64;

  private DriverLaunches() {}

  static void cuLaunchKernel(
      long function,
      int gridX,
      int gridY,
      int gridZ,
      int blockX,
      int blockY,
      int blockZ,
      int sharedBytes,
      long stream,
      @Nullable PointerList parameters,
      @Nullable PointerList extra) {
    CudaFunction found = DriverModules.function(function);
    submit(
        stream,
        found,
        () ->
            work(
                found,
                new LaunchConfig(
                    new Dim3(gridX, gridY, gridZ), new Dim3(blockX, blockY, blockZ), sharedBytes),
                parameters,
                extra));
  }

  /** Launches a grid whose blocks must be resident at once. */
  static void cuLaunchCooperativeKernel(
      long function,
      int gridX,
      int gridY,
      int gridZ,
      int blockX,
      int blockY,
      int blockZ,
      int sharedBytes,
      long stream,
      @Nullable PointerList parameters) {
    CudaFunction found = DriverModules.function(function);
    Dim3 grid = new Dim3(gridX, gridY, gridZ);
    Dim3 block = new Dim3(blockX, blockY, blockZ);
    LaunchConfig config = new LaunchConfig(grid, block, sharedBytes);
    found.requireResident(config);
    submit(stream, found, () -> work(found, config, parameters, null));
  }

  /** Submits a launch; a refusal invalidates a capture of the stream. */
  static void submit(long stream, CudaFunction function, Supplier<CudaWork> launch) {
    CudaStream on = DriverStreams.stream(stream);
    CudaError.require(function.context == on.context, CudaError.INVALID_HANDLE);
    try {
      on.submit(launch.get());
    } catch (InvalidArgumentException refused) {
      on.context.device.invalidateCapture(on.stream);
      throw refused;
    }
  }

  static void cuLaunchKernelEx(
      Struct config, long function, @Nullable PointerList parameters, @Nullable PointerList extra) {
    CudaFunction found = DriverModules.function(function);
    requireNoAttributes(config, config(config).grid());
    submit(config.get("hStream"), found, () -> work(found, config(config), parameters, extra));
  }

  /** Refuses attributes, and the size of a cluster that does not divide the grid as drivers do. */
  static void requireNoAttributes(Struct config, Dim3 grid) {
    long count = config.get("numAttrs");
    if (count == 1) {
      CudaPointer first = config.pointer("attrs");
      boolean isCluster = first.readInt() == CLUSTER;
      int x = first.plus(Long.BYTES).readInt();
      CudaError.require(!isCluster || (x > 0 && grid.x() % x == 0), CudaError.INVALID_CLUSTER_SIZE);
    }
    if (count != 0) {
      throw new UnsupportedOperationException("attributes of launches are not simulated");
    }
  }

  static LaunchConfig config(Struct given) {
    return new LaunchConfig(
        new Dim3(
            (int) given.get("gridDimX"), (int) given.get("gridDimY"), (int) given.get("gridDimZ")),
        new Dim3(
            (int) given.get("blockDimX"),
            (int) given.get("blockDimY"),
            (int) given.get("blockDimZ")),
        (int) given.get("sharedMemBytes"));
  }

  /** Returns a launch, whose parameters are read now. */
  static CudaWork work(
      CudaFunction function,
      LaunchConfig config,
      @Nullable PointerList parameters,
      @Nullable PointerList extra) {
    ByteBuffer packed = function.newParameters();
    boolean isEmpty = extra != null && extra.get(0).address() == 0;
    boolean isOneList = parameters == null || extra == null;
    CudaError.require(isOneList && !isEmpty, CudaError.INVALID_VALUE);
    if (!function.parameters().isEmpty()) {
      CudaError.require(parameters != null || extra != null, CudaError.INVALID_VALUE);
      if (parameters != null) {
        fill(packed, function, parameters);
      } else {
        unpack(packed, function, CudaError.found(extra, CudaError.INVALID_VALUE));
      }
    }
    return function.launch(config, packed);
  }

  /** Reads the parameters from the addresses of a list. */
  private static void fill(ByteBuffer packed, CudaFunction function, PointerList list) {
    int number = 0;
    for (KernelParameter each : function.parameters()) {
      if (number >= list.size()) {
        throw wrong(function, "the list of parameters has " + list.size() + " entries");
      }
      ByteBuffer value = read(function, number, each, list);
      packed.put(each.offset(), value, value.position(), each.size());
      number++;
    }
  }

  private static ByteBuffer read(
      CudaFunction function, int index, KernelParameter wanted, PointerList list) {
    String parameter = "parameter " + (index + 1) + ", " + wanted;
    try {
      CudaPointer entry = list.get(index);
      Block block = CudaProcess.get().memory.at(entry.address());
      CudaError.require(block == null || block.buffer() != null, CudaError.INVALID_VALUE);
      return entry.read(wanted.size());
    } catch (CudaError noMemory) {
      throw wrong(
          function,
          parameter
              + ", would be read at "
              + list.describe(index)
              + ", which is no memory of the host; "
              + list.remedy(index));
    } catch (IllegalArgumentException e) {
      throw wrong(function, parameter + ": " + e.getMessage());
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
  private static void unpack(ByteBuffer packed, CudaFunction function, PointerList extra) {
    CudaPointer buffer = CudaPointer.NULL;
    for (int i = 0; i + 1 < extra.size() && extra.get(i).address() != 0; i += 2) {
      CudaPointer value = extra.get(i + 1);
      if (value.isNull()) {
        throw wrong(function, "entry " + (i + 1) + " of extra is " + extra.describe(i + 1));
      }
      if (extra.get(i).address() == BUFFER_POINTER) {
        buffer = value;
      } else if (extra.get(i).address() == BUFFER_SIZE) {
        CudaError.require(value.readLong() == packed.capacity(), CudaError.INVALID_VALUE);
      }
    }
    packed.put(0, buffer.read(packed.capacity()), 0, packed.capacity());
  }

  // ---- launches as before CUDA 4, whose parameters belong to the function ----

  static void cuFuncSetBlockShape(long function, int x, int y, int z) {
    CudaFunction found = DriverModules.function(function);
    CudaError.require(x > 0 && y > 0 && z > 0 && z <= MOST_DEPTH, CudaError.INVALID_VALUE);
    found.older.block = new Dim3(x, y, z);
  }

  static void cuFuncSetSharedSize(long function, int bytes) {
    CudaFunction found = DriverModules.function(function);
    CudaError.require(bytes >= 0, CudaError.INVALID_VALUE);
    found.older.sharedBytes = bytes;
  }

  static void cuParamSetSize(long function, int bytes) {
    CudaFunction found = DriverModules.function(function);
    CudaError.require(bytes >= 0, CudaError.INVALID_VALUE);
    if (bytes < found.older.parameters.capacity()) {
      throw wrong(found, "its parameters take " + found.older.parameters.capacity() + " bytes");
    }
  }

  static void cuParamSeti(long function, int offset, int value) {
    parameters(function, offset, Integer.BYTES).putInt(offset, value);
  }

  static void cuParamSetf(long function, int offset, float value) {
    parameters(function, offset, Float.BYTES).putFloat(offset, value);
  }

  static void cuParamSetv(long function, int offset, CudaPointer value, int bytes) {
    ByteBuffer parameters = parameters(function, offset, bytes);
    ByteBuffer read = value.read(bytes);
    parameters.put(offset, read, read.position(), bytes);
  }

  private static ByteBuffer parameters(long function, int offset, int bytes) {
    ByteBuffer parameters = DriverModules.function(function).older.parameters;
    CudaError.require(
        offset >= 0 && bytes >= 0 && bytes <= parameters.capacity() - offset,
        CudaError.INVALID_VALUE);
    return parameters;
  }

  static void cuLaunch(long function) {
    cuLaunchGrid(function, 1, 1, 0);
  }

  static void cuLaunchGrid(long function, int width, int height, long stream) {
    CudaFunction found = DriverModules.function(function);
    submit(
        stream,
        found,
        () ->
            found.launch(
                new LaunchConfig(
                    new Dim3(width, height, 1), found.older.block, found.older.sharedBytes),
                found.older.parameters));
  }
}
