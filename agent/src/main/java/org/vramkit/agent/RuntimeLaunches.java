package org.vramkit.agent;

import org.jspecify.annotations.Nullable;
import org.vramkit.agent.Arguments.PointerList;
import org.vramkit.agent.Arguments.Struct;
import org.vramkit.api.device.Dim3;
import org.vramkit.api.device.KernelAttributes;
import org.vramkit.api.device.LaunchConfig;

/** The runtime: launches and attributes of functions, which are those of the driver's modules. */
final class RuntimeLaunches {
  private RuntimeLaunches() {}

  private static CudaFunction function(CudaPointer function) {
    CudaError.require(!function.isNull(), CudaError.INVALID_DEVICE_FUNCTION);
    return DriverModules.function(function.address());
  }

  /**
   * Returns a kernel of a library; the runtime knows no other, though it launches functions too.
   */
  static CudaFunction kernel(CudaPointer kernel) {
    CudaFunction found = function(kernel);
    CudaError.require(kernel.address() != found.handle, CudaError.INVALID_HANDLE);
    return found;
  }

  static void cudaLaunchKernel(
      CudaPointer function,
      Struct grid,
      Struct block,
      @Nullable PointerList parameters,
      long sharedBytes,
      long stream) {
    CudaFunction found = function(function);
    DriverLaunches.submit(
        stream,
        found,
        () ->
            DriverLaunches.work(
                found,
                new LaunchConfig(extent(grid), extent(block), (int) sharedBytes),
                parameters,
                null));
  }

  static void cudaLaunchCooperativeKernel(
      CudaPointer function,
      Struct grid,
      Struct block,
      @Nullable PointerList parameters,
      long sharedBytes,
      long stream) {
    function(function)
        .requireResident(new LaunchConfig(extent(grid), extent(block), (int) sharedBytes));
    cudaLaunchKernel(function, grid, block, parameters, sharedBytes, stream);
  }

  static void cudaLaunchKernelExC(
      Struct config, CudaPointer function, @Nullable PointerList parameters) {
    DriverLaunches.requireNoAttributes(config, extent(config.nested("gridDim")));
    cudaLaunchKernel(
        function,
        config.nested("gridDim"),
        config.nested("blockDim"),
        parameters,
        config.get("dynamicSmemBytes"),
        config.get("stream"));
  }

  static Dim3 extent(Struct extent) {
    return new Dim3((int) extent.get("x"), (int) extent.get("y"), (int) extent.get("z"));
  }

  /** Describes a function; it has no registers, which an assembler would assign. */
  static void cudaFuncGetAttributes(Struct attributes, CudaPointer function) {
    CudaFunction found = kernel(function);
    KernelAttributes known = found.kernel.getAttributes();
    attributes.set("sharedSizeBytes", known.staticSharedBytes());
    attributes.set("constSizeBytes", known.constantBytes());
    attributes.set("localSizeBytes", known.localBytes());
    attributes.set("maxThreadsPerBlock", known.maxThreadsPerBlock());
    attributes.set("numRegs", known.registers());
    attributes.set("ptxVersion", known.ptxVersion());
    attributes.set("binaryVersion", known.binaryVersion());
    attributes.set("maxDynamicSharedSizeBytes", found.kernel.getMaxDynamicSharedBytes());
    attributes.set("preferredShmemCarveout", found.carveout);
  }
}
