package org.vramkit.agent;

import org.jspecify.annotations.Nullable;
import org.vramkit.agent.Arguments.Result;

/** The driver: contexts. */
final class DriverContexts {
  private static final int DEFAULT_CONFIG = 1;

  private DriverContexts() {}

  private static CudaContext primary(int device) {
    return CudaProcess.get().primary(device);
  }

  /** Returns the context of a handle. */
  static CudaContext context(long handle) {
    return CudaProcess.get().get(handle, CudaContext.class, CudaError.INVALID_CONTEXT);
  }

  static void cuDevicePrimaryCtxRetain(Result context, int device) {
    CudaContext primary = primary(device);
    primary.retain();
    context.set(primary.handle);
  }

  static void cuDevicePrimaryCtxRelease(int device) {
    primary(device).release();
  }

  static void cuDevicePrimaryCtxReset(int device) {
    primary(device).reset();
  }

  static void cuDevicePrimaryCtxSetFlags(int device, int flags) {
    CudaContext primary = primary(device);
    CudaError.require((flags & CudaContext.MAP_HOST) == 0, CudaError.INVALID_VALUE);
    primary.setFlags(flags);
  }

  static void cuDevicePrimaryCtxGetState(int device, Result flags, Result active) {
    CudaContext primary = primary(device);
    flags.set(primary.getFlags());
    active.set(primary.isActive() ? 1 : 0);
  }

  static void cuCtxCreate(Result context, int flags, int device) {
    CudaContext primary = primary(device);
    CudaContext made = new CudaContext(primary.process, primary.device, false);
    made.setFlags(flags);
    CudaThread.current().contexts.push(made);
    context.set(made.handle);
  }

  /** Creates a context, for drivers since CUDA 13; parameters are for partitions of a device. */
  static void cuCtxCreate(Result context, CudaPointer parameters, int flags, int device) {
    if (!parameters.isNull()) {
      throw new UnsupportedOperationException("cuCtxCreate: parameters are not simulated");
    }
    cuCtxCreate(context, flags, device);
  }

  static void cuCtxDestroy(long context) {
    CudaError.require(context != 0, CudaError.INVALID_VALUE);
    CudaContext destroyed = context(context);
    destroyed.destroy();
    CudaThread thread = CudaThread.current();
    if (thread.contexts.peek() == destroyed) {
      thread.contexts.poll();
    }
  }

  static void cuCtxAttach(Result context, int flags) {
    CudaError.require(flags == 0, CudaError.INVALID_VALUE);
    CudaContext current = CudaThread.current().context();
    current.attach();
    context.set(current.handle);
  }

  static void cuCtxDetach(long context) {
    CudaError.require(context(context).detach(), CudaError.INVALID_CONTEXT);
  }

  static void cuCtxPushCurrent(long context) {
    CudaError.require(context != 0, CudaError.INVALID_VALUE);
    CudaThread.current().contexts.push(context(context));
  }

  static void cuCtxPopCurrent(@Nullable Result context) {
    CudaContext popped =
        CudaError.found(CudaThread.current().contexts.poll(), CudaError.INVALID_CONTEXT);
    if (context != null) {
      context.set(popped.handle);
    }
  }

  static void cuCtxSetCurrent(long context) {
    boolean isNone = context == 0;
    CudaThread.current().setContext(isNone ? null : context(context));
  }

  static void cuCtxGetCurrent(Result context) {
    CudaContext current = CudaThread.current().contexts.peek();
    context.set(current == null ? 0 : current.handle);
  }

  static void cuCtxGetDevice(Result device, long context) {
    device.set(currentOr(context).device.getOrdinal());
  }

  /** Returns a context, or the current one for null, which may be destroyed. */
  private static CudaContext currentOr(long context) {
    CudaContext current = CudaThread.current().contexts.peek();
    return context == 0 ? CudaError.found(current, CudaError.INVALID_CONTEXT) : context(context);
  }

  static void cuCtxGetFlags(Result flags) {
    flags.set(currentOr(0).getShownFlags());
  }

  static void cuCtxSetFlags(int flags) {
    CudaThread.current().context().setFlags(flags);
  }

  static void cuCtxGetId(long context, Result id) {
    id.set(currentOr(context).id);
  }

  static void cuCtxSynchronize(long context) {
    CudaContext of = context == 0 ? CudaThread.current().context() : context(context);
    of.device.synchronize();
  }

  static void cuCtxGetApiVersion(long context, Result version) {
    if (context != 0) {
      context(context);
    } else {
      CudaThread.current().context();
    }
    version.set(CudaContext.API_VERSION);
  }

  static void cuCtxGetLimit(Result value, int limit) {
    value.set(CudaThread.current().context().limits.get(limit));
  }

  static void cuCtxSetLimit(int limit, long value) {
    CudaThread.current().context().limits.set(limit, value);
  }

  static void cuCtxGetStreamPriorityRange(@Nullable Result least, @Nullable Result greatest) {
    if (least != null) {
      least.set(0);
    }
    if (greatest != null) {
      greatest.set(CudaStream.highestPriority());
    }
  }

  static void cuCtxGetSharedMemConfig(Result config) {
    config.set(DEFAULT_CONFIG);
  }

  /** Accepts a size of banks, which devices since compute capability 5.0 do not have. */
  static void cuCtxSetSharedMemConfig(int config) {
    CudaError.require(config >= 0 && config <= 2, CudaError.INVALID_VALUE);
  }

  static void cuCtxGetCacheConfig(Result config) {
    config.set(CudaThread.current().context().cacheConfig);
  }

  static void cuCtxSetCacheConfig(int config) {
    CudaError.require(config >= 0 && config <= 3, CudaError.INVALID_VALUE);
    CudaThread.current().context().cacheConfig = config;
  }
}
