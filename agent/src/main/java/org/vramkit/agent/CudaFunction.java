package org.vramkit.agent;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.function.IntToLongFunction;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Dim3;
import org.vramkit.api.device.Kernel;
import org.vramkit.api.device.KernelAttributes;
import org.vramkit.api.device.KernelLimits;
import org.vramkit.api.device.KernelParameter;
import org.vramkit.api.device.LaunchConfig;

/** A function of a module. */
final class CudaFunction extends CudaObject {
  private static final int WARP = 32;

  /** Attributes that a program may set. */
  private static final int MAX_DYNAMIC_SHARED = 8;

  private static final int CARVEOUT = 9;
  private static final int FIRST_OF_CLUSTERS = 10;
  private static final int CLUSTERS_OF_ANY_SIZE = 14;
  private static final int CLUSTER_SCHEDULING = 15;
  private static final int MOST_PERCENT = 100;

  /** The most blocks of a grid in its second and third dimension. */
  private static final int MOST_ROWS = 65_535;

  final CudaModule module;
  final Kernel kernel;

  /** The function as a kernel of a library, which has another handle. */
  final OfLibrary ofLibrary;

  record OfLibrary(CudaFunction function, long handle) {}

  /** The preferred percentage of shared memory, which changes no result; -1 for the default. */
  volatile int carveout = -1;

  private volatile int anyCluster;
  private volatile int clusterScheduling;

  /** The state for launches as before CUDA 4. */
  final Older older;

  /** Shape and parameters that the function keeps for its launches. */
  static final class Older {
    Dim3 block = Dim3.of(1);
    int sharedBytes;
    final ByteBuffer parameters;

    Older(ByteBuffer parameters) {
      this.parameters = parameters;
    }
  }

  CudaFunction(CudaModule module, long handle, Kernel kernel) {
    super(module.context, handle);
    this.module = module;
    this.kernel = kernel;
    this.ofLibrary = new OfLibrary(this, context.process.newHandle());
    this.older = new Older(newParameters());
  }

  @Override
  void destroy() {
    context.process.remove(handle);
    context.process.remove(ofLibrary.handle);
  }

  /** Returns the function of a handle, or that of a kernel of a library; null for none. */
  static @Nullable CudaFunction find(long handle) {
    Object found = CudaProcess.get().find(handle);
    return found instanceof OfLibrary kernel
        ? kernel.function
        : found instanceof CudaFunction function ? function : null;
  }

  List<KernelParameter> parameters() {
    return kernel.getSignature().parameters();
  }

  /** Returns a launch of the function with packed parameters. */
  CudaWork launch(LaunchConfig config, ByteBuffer packed) {
    List<KernelParameter> parameters = parameters();
    Object[] arguments = new Object[parameters.size()];
    for (int i = 0; i < arguments.length; i++) {
      arguments[i] = argument(parameters.get(i), packed);
    }
    return new CudaWork(
        CudaWork.KERNEL,
        false,
        stream -> {
          CudaError.require(stream.getDevice() == context.device, CudaError.INVALID_HANDLE);
          stream.launch(kernel, config, arguments);
        });
  }

  /** Returns a parameter as the object that the simulator takes for its type. */
  private static Object argument(KernelParameter parameter, ByteBuffer packed) {
    int offset = parameter.offset();
    boolean isArray = parameter.type().contains("[");
    boolean isFloat = parameter.type().startsWith(".f");
    if (isArray) {
      return packed.slice(offset, parameter.size());
    }
    // A conditional expression would convert both of its numbers to one type.
    return switch (parameter.size()) {
      case Byte.BYTES -> (Object) packed.get(offset);
      case Short.BYTES -> (Object) packed.getShort(offset);
      case Integer.BYTES -> isFloat ? (Object) packed.getFloat(offset) : packed.getInt(offset);
      case Long.BYTES -> isFloat ? (Object) packed.getDouble(offset) : packed.getLong(offset);
      default -> packed.slice(offset, parameter.size());
    };
  }

  /** Returns a new parameter space. */
  ByteBuffer newParameters() {
    return ByteBuffer.allocate(kernel.getSignature().getSize()).order(ByteOrder.nativeOrder());
  }

  /** Returns an attribute by its number in the driver. */
  int attribute(int number) {
    KernelAttributes known = kernel.getAttributes();
    return switch (number) {
      case 0 -> known.maxThreadsPerBlock();
      case 1 -> known.staticSharedBytes();
      case 2 -> known.constantBytes();
      case 3 -> known.localBytes();
      case 4 -> known.registers();
      case 5 -> known.ptxVersion();
      case 6 -> known.binaryVersion();
      case 7 -> 0; // Loads are not told to be cached, the default of the compiler.
      case MAX_DYNAMIC_SHARED -> kernel.getMaxDynamicSharedBytes();
      case CARVEOUT -> carveout;
      case 10, 11, 12, 13 -> 0; // No kernel needs clusters of a size.
      case CLUSTERS_OF_ANY_SIZE -> anyCluster;
      case CLUSTER_SCHEDULING -> clusterScheduling;
      default -> throw new CudaError(CudaError.INVALID_VALUE);
    };
  }

  static boolean isSettable(int attribute) {
    boolean isOfClusters = attribute > FIRST_OF_CLUSTERS && attribute <= CLUSTER_SCHEDULING;
    return attribute == MAX_DYNAMIC_SHARED || attribute == CARVEOUT || isOfClusters;
  }

  /** Sets an attribute by its number in the driver. */
  void setAttribute(int number, int value) {
    switch (number) {
      case MAX_DYNAMIC_SHARED -> kernel.setMaxDynamicSharedBytes(value);
      case CARVEOUT -> {
        CudaError.require(value >= -1 && value <= MOST_PERCENT, CudaError.INVALID_VALUE);
        carveout = value;
      }
      case 11, 12, 13 -> {
        CudaError.require(value >= 0, CudaError.INVALID_VALUE);
        if (value > 0) {
          throw new UnsupportedOperationException("clusters of blocks are not simulated");
        }
      }
      case CLUSTERS_OF_ANY_SIZE -> anyCluster = value == 0 ? 0 : 1;
      case CLUSTER_SCHEDULING -> {
        CudaError.require(value == 0 || value == 1, CudaError.INVALID_VALUE);
        clusterScheduling = value;
      }
      default -> throw new CudaError(CudaError.INVALID_VALUE);
    }
  }

  int activeBlocks(int threads, long sharedBytes) {
    CudaError.require(threads > 0, CudaError.INVALID_VALUE);
    // The driver takes less than the bits of a number.
    int shared = Math.max(0, (int) sharedBytes);
    boolean possible = shared <= kernel.getMaxDynamicSharedBytes();
    return possible ? kernel.getActiveBlocks(threads, shared) : 0;
  }

  /** Refuses a grid whose blocks cannot all be resident at once. */
  void requireResident(LaunchConfig config) {
    Dim3 block = config.block();
    long threads = (long) block.x() * block.y() * block.z();
    long most =
        (long) activeBlocks((int) Math.min(threads, Integer.MAX_VALUE), config.dynamicSharedBytes())
            * context.device.getProperties().multiprocessors();
    Dim3 grid = config.grid();
    boolean fits = (long) grid.x() * grid.y() * grid.z() <= most;
    // What no launch may have is refused by the launch.
    boolean isPossible = threads <= kernel.getAttributes().maxThreadsPerBlock();
    isPossible &= Math.max(grid.y(), grid.z()) <= MOST_ROWS;
    CudaError.require(fits || !isPossible, CudaError.COOPERATIVE_LAUNCH_TOO_LARGE);
  }

  /** Returns the dynamic shared memory of each of some blocks that share a multiprocessor. */
  int sharedBytesLeft(int blocks, int threads) {
    KernelLimits limits = context.device.getKernelLimits();
    int left =
        limits.sharedBytesPerMultiprocessor() / blocks - kernel.getAttributes().staticSharedBytes();
    boolean isPossible =
        threads <= kernel.getAttributes().maxThreadsPerBlock()
            && blocks <= limits.blocksPerMultiprocessor()
            && (long) blocks * threads <= limits.threadsPerMultiprocessor();
    CudaError.require(isPossible && left >= 0, CudaError.INVALID_VALUE);
    return Math.min(left, kernel.getMaxDynamicSharedBytes());
  }

  /**
   * Returns the largest number of threads that keeps most of them resident, among the multiples of
   * a warp and the limit itself.
   *
   * @param sharedBytes returns the dynamic shared memory of a block of a number of threads
   * @param limit the most threads; 0 for those of the kernel
   */
  int potentialBlockSize(IntToLongFunction sharedBytes, int limit) {
    int most = kernel.getAttributes().maxThreadsPerBlock();
    int allowed = limit == 0 ? most : Math.min(limit, most);
    int best = 0;
    int found = 0;
    for (int rounded = (allowed + WARP - 1) / WARP * WARP; rounded > 0; rounded -= WARP) {
      int threads = Math.min(allowed, rounded);
      int resident = threads * activeBlocks(threads, sharedBytes.applyAsLong(threads));
      if (resident > best) {
        best = resident;
        found = threads;
      }
    }
    return found;
  }
}
