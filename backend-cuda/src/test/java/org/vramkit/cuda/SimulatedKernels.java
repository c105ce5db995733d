package org.vramkit.cuda;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.vramkit.api.device.Kernel;
import org.vramkit.api.device.KernelAttributes;
import org.vramkit.api.device.KernelModule;
import org.vramkit.api.device.KernelParameter;
import org.vramkit.api.device.LaunchConfig;
import org.vramkit.api.device.ModuleGlobal;
import org.vramkit.api.error.ModuleLoadException;
import org.vramkit.cuda.driver.CudaResult;
import org.vramkit.cuda.driver.Handle;
import org.vramkit.cuda.driver.KernelCalls;
import org.vramkit.cuda.driver.ParameterSpace;

/** Modules and kernels. */
final class SimulatedKernels extends SimulatedCalls implements KernelCalls {
  /** {@code CUDA_ERROR_NOT_FOUND}. */
  private static final int NOT_FOUND = 500;

  private final AtomicLong numbers = new AtomicLong(0x9000);

  /** The handle of each kernel that was asked for, which the driver returns each time. */
  private final Map<Kernel, Handle> functions = new ConcurrentHashMap<>();

  SimulatedKernels(SimulatedProcess process) {
    super(process);
  }

  private record ModuleHandle(KernelModule module, long getAddress) implements Handle {}

  private record FunctionHandle(Kernel kernel, long getAddress) implements Handle {}

  private static KernelModule module(Handle handle) {
    return ((ModuleHandle) handle).module();
  }

  private static Kernel kernel(Handle handle) {
    return ((FunctionHandle) handle).kernel();
  }

  @Override
  public int cuModuleLoadDataEx(Handle[] module, byte[] image, byte[] infoLog, byte[] errorLog) {
    return here(
        () -> {
          try {
            KernelModule made = device().loadModule(image);
            module[0] = new ModuleHandle(made, numbers.incrementAndGet());
            put(made.getLog(), infoLog);
          } catch (ModuleLoadException e) {
            put(e.getLog(), errorLog);
            throw e;
          }
        });
  }

  private static void put(String log, byte[] target) {
    byte[] bytes = log.getBytes(StandardCharsets.UTF_8);
    System.arraycopy(bytes, 0, target, 0, Math.min(bytes.length, target.length - 1));
  }

  @Override
  public int cuModuleUnload(Handle module) {
    return code(module(module)::close);
  }

  @Override
  public int cuModuleGetFunction(Handle[] function, Handle module, String name) {
    int result =
        code(
            () -> {
              Kernel found = module(module).getKernel(name);
              function[0] =
                  functions.computeIfAbsent(
                      found, kernel -> new FunctionHandle(kernel, numbers.incrementAndGet()));
            });
    return result == CudaResult.INVALID_VALUE ? NOT_FOUND : result;
  }

  @Override
  public int cuModuleGetGlobal(long[] addressAndBytes, Handle module, String name) {
    int result =
        code(
            () -> {
              ModuleGlobal found = module(module).getGlobal(name);
              addressAndBytes[0] = found.address();
              addressAndBytes[1] = found.size();
            });
    return result == CudaResult.INVALID_VALUE ? NOT_FOUND : result;
  }

  @Override
  public int cuFuncGetAttribute(int[] value, int attribute, Handle function) {
    return code(() -> value[0] = attribute(kernel(function), attribute));
  }

  private static int attribute(Kernel kernel, int attribute) {
    KernelAttributes all = kernel.getAttributes();
    return switch (attribute) {
      case 0 -> all.maxThreadsPerBlock();
      case 1 -> all.staticSharedBytes();
      case 2 -> all.constantBytes();
      case 3 -> all.localBytes();
      case 4 -> all.registers();
      case 5 -> all.ptxVersion();
      case 6 -> all.binaryVersion();
      case 8 -> kernel.getMaxDynamicSharedBytes();
      default -> throw new AssertionError("attribute " + attribute + " is not used");
    };
  }

  @Override
  public int cuFuncSetAttribute(Handle function, int attribute, int value) {
    return attribute == 8
        ? code(() -> kernel(function).setMaxDynamicSharedBytes(value))
        : CudaResult.INVALID_VALUE;
  }

  @Override
  public int cuFuncGetParamInfo(Handle function, long index, long[] offsetAndSize) {
    List<KernelParameter> parameters = kernel(function).getSignature().parameters();
    if (index >= parameters.size()) {
      return CudaResult.INVALID_VALUE;
    }
    offsetAndSize[0] = parameters.get((int) index).offset();
    offsetAndSize[1] = parameters.get((int) index).size();
    return CudaResult.SUCCESS;
  }

  @Override
  public int cuOccupancyMaxActiveBlocksPerMultiprocessor(
      int[] blocks, Handle function, int threadsPerBlock, long dynamicSharedBytes) {
    return code(
        () ->
            blocks[0] =
                kernel(function)
                    .getActiveBlocks(threadsPerBlock, Math.toIntExact(dynamicSharedBytes)));
  }

  @Override
  public int cuOccupancyMaxPotentialBlockSize(
      int[] blocksAndThreads, Handle function, long dynamicSharedBytes) {
    return code(
        () -> {
          int shared = Math.toIntExact(dynamicSharedBytes);
          blocksAndThreads[1] = kernel(function).suggestBlockSize(shared);
          blocksAndThreads[0] =
              kernel(function).getActiveBlocks(blocksAndThreads[1], shared)
                  * device().getProperties().multiprocessors();
        });
  }

  @Override
  public ParameterSpace createParameters(int bytes) {
    ByteBuffer space = ByteBuffer.allocate(bytes).order(ByteOrder.nativeOrder());
    return () -> space;
  }

  @Override
  public int cuLaunchKernel(
      Handle function, LaunchConfig config, Handle stream, ParameterSpace parameters) {
    return code(
        () -> {
          List<Object> arguments = new ArrayList<>();
          for (KernelParameter each : kernel(function).getSignature().parameters()) {
            arguments.add(parameters.bytes().slice(each.offset(), each.size()));
          }
          stream(stream).launch(kernel(function), config, arguments.toArray());
        });
  }
}
