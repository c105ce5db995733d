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
    return CudaProcess.get()
        .get(function.address(), CudaFunction.class, CudaError.INVALID_DEVICE_FUNCTION);
  }

  static int cudaLaunchKernel(
      CudaPointer function,
      Struct grid,
      Struct block,
      @Nullable PointerList parameters,
      long sharedBytes,
      long stream) {
    LaunchConfig config =
        new LaunchConfig(extent(grid), extent(block), Math.toIntExact(sharedBytes));
    DriverLaunches.launch(function(function), config, stream, parameters, null);
    return 0;
  }

  private static Dim3 extent(Struct extent) {
    return new Dim3((int) extent.get("x"), (int) extent.get("y"), (int) extent.get("z"));
  }

  /** Describes a function, except for its registers, which the assembler would assign. */
  static int cudaFuncGetAttributes(Struct attributes, CudaPointer function) {
    CudaFunction found = function(function);
    KernelAttributes known = found.kernel.getAttributes();
    attributes.set("sharedSizeBytes", known.staticSharedBytes());
    attributes.set("constSizeBytes", known.constantBytes());
    attributes.set("localSizeBytes", known.localBytes());
    attributes.set("maxThreadsPerBlock", known.maxThreadsPerBlock());
    attributes.set("ptxVersion", known.ptxVersion());
    attributes.set("binaryVersion", known.binaryVersion());
    attributes.set("maxDynamicSharedSizeBytes", found.kernel.getMaxDynamicSharedBytes());
    return 0;
  }
}
