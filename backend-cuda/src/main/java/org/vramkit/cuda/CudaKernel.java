package org.vramkit.cuda;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Kernel;
import org.vramkit.api.device.KernelAttributes;
import org.vramkit.api.device.KernelModule;
import org.vramkit.api.device.KernelSignature;
import org.vramkit.api.device.LaunchConfig;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.spi.LaunchArguments;
import org.vramkit.cuda.driver.Handle;
import org.vramkit.cuda.driver.KernelCalls;

/** A kernel of a module. A launch makes no garbage unless another one is in progress. */
final class CudaKernel implements Kernel {
  // Numbers of CUfunction_attribute.
  private static final int MAX_THREADS_PER_BLOCK = 0;
  private static final int SHARED_SIZE_BYTES = 1;
  private static final int CONST_SIZE_BYTES = 2;
  private static final int LOCAL_SIZE_BYTES = 3;
  private static final int NUM_REGS = 4;
  private static final int PTX_VERSION = 5;
  private static final int BINARY_VERSION = 6;
  private static final int MAX_DYNAMIC_SHARED_SIZE_BYTES = 8;

  private final CudaModule module;
  private final CudaDevice device;
  private final KernelCalls calls;
  private final KernelSignature signature;
  private final KernelAttributes attributes;
  private volatile int maxDynamicSharedBytes;

  final Handle function;
  final LaunchArguments arguments;

  /** A launch that is not in progress; null while a thread uses it. */
  private final AtomicReference<@Nullable CudaLaunch> spare = new AtomicReference<>();

  /** Creates a kernel, and queries its attributes. The module is open. */
  CudaKernel(CudaModule module, Handle function, KernelSignature signature) {
    this.module = module;
    this.device = module.device();
    this.calls = device.driver.kernels();
    this.function = function;
    this.signature = signature;
    this.attributes =
        new KernelAttributes(
            attribute(MAX_THREADS_PER_BLOCK),
            attribute(SHARED_SIZE_BYTES),
            attribute(CONST_SIZE_BYTES),
            attribute(LOCAL_SIZE_BYTES),
            attribute(NUM_REGS),
            attribute(PTX_VERSION),
            attribute(BINARY_VERSION));
    this.maxDynamicSharedBytes = attribute(MAX_DYNAMIC_SHARED_SIZE_BYTES);
    this.arguments = new LaunchArguments(signature, attributes, device.getKernelLimits());
  }

  private int attribute(int number) {
    int[] value = new int[1];
    device.context.run(
        "cuFuncGetAttribute",
        () -> "cannot query " + this,
        () -> calls.cuFuncGetAttribute(value, number, function));
    return value[0];
  }

  CudaDevice device() {
    return device;
  }

  CudaModule module() {
    return module;
  }

  @Override
  public String getName() {
    return signature.kernel();
  }

  @Override
  public KernelModule getModule() {
    return module;
  }

  @Override
  public KernelSignature getSignature() {
    return signature;
  }

  @Override
  public KernelAttributes getAttributes() {
    return attributes;
  }

  @Override
  public int getMaxDynamicSharedBytes() {
    return maxDynamicSharedBytes;
  }

  @Override
  public void setMaxDynamicSharedBytes(int bytes) {
    int possible =
        device.getKernelLimits().sharedBytesPerBlockOptIn() - attributes.staticSharedBytes();
    if (bytes < 0 || bytes > possible) {
      throw LaunchArguments.tooMuchShared(this, bytes, possible);
    }
    module.life().enter(module);
    try {
      device.context.run(
          "cuFuncSetAttribute",
          () -> "cannot allow " + this + " " + bytes + " bytes of dynamic shared memory",
          () -> calls.cuFuncSetAttribute(function, MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes));
      maxDynamicSharedBytes = bytes;
    } finally {
      module.life().leave();
    }
  }

  @Override
  public int getActiveBlocks(int threadsPerBlock, int dynamicSharedBytes) {
    if (threadsPerBlock < 1 || dynamicSharedBytes < 0) {
      throw new InvalidArgumentException(
          "a block must have 1 or more threads and 0 or more bytes of shared memory, not "
              + threadsPerBlock
              + " and "
              + dynamicSharedBytes);
    }
    int[] blocks = new int[1];
    module.life().enter(module);
    try {
      device.context.run(
          "cuOccupancyMaxActiveBlocksPerMultiprocessor",
          () -> "cannot compute the occupancy of " + this,
          () ->
              calls.cuOccupancyMaxActiveBlocksPerMultiprocessor(
                  blocks, function, threadsPerBlock, dynamicSharedBytes));
    } finally {
      module.life().leave();
    }
    return blocks[0];
  }

  @Override
  public int suggestBlockSize(int dynamicSharedBytes) {
    int[] blocksAndThreads = new int[2];
    module.life().enter(module);
    try {
      device.context.run(
          "cuOccupancyMaxPotentialBlockSize",
          () -> "cannot suggest a block size for " + this,
          () ->
              calls.cuOccupancyMaxPotentialBlockSize(
                  blocksAndThreads, function, dynamicSharedBytes));
    } finally {
      module.life().leave();
    }
    return blocksAndThreads[1];
  }

  /** Launches the kernel on a stream of its device. */
  void launch(CudaStream stream, LaunchConfig config, Object[] given) {
    arguments.requireFits(config, maxDynamicSharedBytes);
    CudaLaunch free = spare.getAndSet(null);
    CudaLaunch launch = free != null ? free : new CudaLaunch(this, calls);
    launch.submit(stream, config, given);
    // Not after a failure, because a driver that failed may still read the arguments.
    spare.set(launch);
    LaunchArguments.recordUses(given, stream);
  }

  @Override
  public String toString() {
    return "kernel " + signature.kernel() + " of " + device;
  }
}
