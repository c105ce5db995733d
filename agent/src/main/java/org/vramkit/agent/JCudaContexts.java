package org.vramkit.agent;

import static org.vramkit.agent.JCudaPointers.handleOf;
import static org.vramkit.agent.JCudaPointers.requireNonNull;

import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import org.jspecify.annotations.Nullable;

/** JCuda's driver: contexts. */
final class JCudaContexts {
  /** The flags that a context may have. */
  private static final int KNOWN_FLAGS = 0x1f;

  /** The flag that drivers since CUDA 11 always set. */
  private static final int MAP_HOST = 8;

  private static final int DEFAULT_CONFIG = 1;

  private JCudaContexts() {}

  private static CudaContext primary(CUdevice device, String function) {
    requireNonNull(device, "dev", function);
    return CudaProcess.get().primary(handleOf(device));
  }

  static int cuDevicePrimaryCtxRetain(CUcontext context, CUdevice device) {
    requireNonNull(context, "pctx", "cuDevicePrimaryCtxRetain");
    CudaContext primary = primary(device, "cuDevicePrimaryCtxRetain");
    primary.retain();
    JCudaPointers.set(context, primary.handle);
    return 0;
  }

  static int cuDevicePrimaryCtxRelease(CUdevice device) {
    primary(device, "cuDevicePrimaryCtxRelease").release();
    return 0;
  }

  static int cuDevicePrimaryCtxReset(CUdevice device) {
    primary(device, "cuDevicePrimaryCtxReset").reset();
    return 0;
  }

  static int cuDevicePrimaryCtxSetFlags(CUdevice device, int flags) {
    CudaError.require((flags & ~KNOWN_FLAGS) == 0, CudaError.INVALID_VALUE);
    primary(device, "cuDevicePrimaryCtxSetFlags").flags = flags;
    return 0;
  }

  static int cuDevicePrimaryCtxGetState(CUdevice device, int[] flags, int[] active) {
    CudaContext primary = primary(device, "cuDevicePrimaryCtxGetState");
    requireNonNull(flags, "flags", "cuDevicePrimaryCtxGetState");
    requireNonNull(active, "active", "cuDevicePrimaryCtxGetState");
    flags[0] = primary.flags;
    active[0] = primary.isActive() ? 1 : 0;
    return 0;
  }

  static int cuCtxCreate(CUcontext context, int flags, CUdevice device) {
    requireNonNull(context, "pctx", "cuCtxCreate");
    CudaContext primary = primary(device, "cuCtxCreate");
    CudaError.require((flags & ~KNOWN_FLAGS) == 0, CudaError.INVALID_VALUE);
    CudaContext made = new CudaContext(primary.process, primary.device, false);
    made.flags = flags;
    CudaThread.current().contexts.push(made);
    JCudaPointers.set(context, made.handle);
    return 0;
  }

  static int cuCtxDestroy(CUcontext context) {
    requireNonNull(context, "ctx", "cuCtxDestroy");
    CudaContext destroyed = JCudaDevices.context(context);
    destroyed.destroy();
    CudaThread thread = CudaThread.current();
    if (thread.contexts.peek() == destroyed) {
      thread.contexts.poll();
    }
    return 0;
  }

  static int cuCtxAttach(CUcontext context, int flags) {
    requireNonNull(context, "pctx", "cuCtxAttach");
    CudaError.require(flags == 0, CudaError.INVALID_VALUE);
    CudaContext current = CudaThread.current().context();
    current.attach();
    JCudaPointers.set(context, current.handle);
    return 0;
  }

  static int cuCtxDetach(CUcontext context) {
    requireNonNull(context, "ctx", "cuCtxDetach");
    CudaError.require(JCudaDevices.context(context).detach(), CudaError.INVALID_CONTEXT);
    return 0;
  }

  static int cuCtxPushCurrent(@Nullable CUcontext context) {
    CudaError.require(handleOf(context) != 0, CudaError.INVALID_VALUE);
    CudaThread.current().contexts.push(JCudaDevices.context(context));
    return 0;
  }

  static int cuCtxPopCurrent(@Nullable CUcontext context) {
    CudaContext popped =
        CudaError.found(CudaThread.current().contexts.poll(), CudaError.INVALID_CONTEXT);
    if (context != null) {
      JCudaPointers.set(context, popped.handle);
    }
    return 0;
  }

  static int cuCtxSetCurrent(CUcontext context) {
    requireNonNull(context, "ctx", "cuCtxSetCurrent");
    boolean isNone = handleOf(context) == 0;
    CudaThread.current().setContext(isNone ? null : JCudaDevices.context(context));
    return 0;
  }

  static int cuCtxGetCurrent(CUcontext context) {
    requireNonNull(context, "pctx", "cuCtxGetCurrent");
    CudaContext current = CudaThread.current().contexts.peek();
    JCudaPointers.set(context, current == null ? 0 : current.handle);
    return 0;
  }

  static int cuCtxGetDevice(CUdevice device) {
    requireNonNull(device, "device", "cuCtxGetDevice");
    JCudaPointers.set(device, CudaThread.current().context().device.getOrdinal());
    return 0;
  }

  static int cuCtxGetFlags(int[] flags) {
    requireNonNull(flags, "flags", "cuCtxGetFlags");
    flags[0] = CudaThread.current().context().flags | MAP_HOST;
    return 0;
  }

  static int cuCtxSynchronize() {
    CudaThread.current().context().device.synchronize();
    return 0;
  }

  static int cuCtxGetApiVersion(@Nullable CUcontext context, int[] version) {
    requireNonNull(version, "version", "cuCtxGetApiVersion");
    if (handleOf(context) != 0) {
      JCudaDevices.context(context);
    } else {
      CudaThread.current().context();
    }
    version[0] = CudaContext.API_VERSION;
    return 0;
  }

  static int cuCtxGetLimit(long[] value, int limit) {
    requireNonNull(value, "pvalue", "cuCtxGetLimit");
    value[0] = CudaThread.current().context().getLimit(limit);
    return 0;
  }

  static int cuCtxSetLimit(int limit, long value) {
    CudaThread.current().context().setLimit(limit, value);
    return 0;
  }

  static int cuCtxGetStreamPriorityRange(int @Nullable [] least, int @Nullable [] greatest) {
    if (least != null) {
      least[0] = 0;
    }
    if (greatest != null) {
      greatest[0] = CudaStream.highestPriority();
    }
    return 0;
  }

  static int cuCtxGetSharedMemConfig(int[] config) {
    requireNonNull(config, "pConfig", "cuCtxGetSharedMemConfig");
    config[0] = DEFAULT_CONFIG;
    return 0;
  }

  /** Accepts a size of banks, which devices since compute capability 5.0 do not have. */
  static int cuCtxSetSharedMemConfig(int config) {
    CudaError.require(config >= 0 && config <= 2, CudaError.INVALID_VALUE);
    return 0;
  }

  static int cuCtxGetCacheConfig(int[] config) {
    requireNonNull(config, "pconfig", "cuCtxGetCacheConfig");
    config[0] = CudaThread.current().context().cacheConfig;
    return 0;
  }

  static int cuCtxSetCacheConfig(int config) {
    CudaError.require(config >= 0 && config <= 3, CudaError.INVALID_VALUE);
    CudaThread.current().context().cacheConfig = config;
    return 0;
  }
}
