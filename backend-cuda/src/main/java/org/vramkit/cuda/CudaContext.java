package org.vramkit.cuda;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.DeviceBinding;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.GpuException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.cuda.driver.ContextCalls;
import org.vramkit.cuda.driver.CudaResult;
import org.vramkit.cuda.driver.Handle;

/**
 * The primary context of one device, which all libraries of the process share. Retained on first
 * use and released when the backend closes. Made current only around each call, so that the
 * thread's other CUDA code is not affected.
 */
final class CudaContext {
  /** The approximate size of a driver context; used only in error messages. */
  private static final long FOOTPRINT = 512 * ByteSize.MIB;

  private final ContextCalls calls;
  private final DriverErrors errors;
  private final int ordinal;
  private final ThreadContext current;
  private final Lifetime life = new Lifetime(this::releaseContext);

  /** The open handles of this context. */
  final OpenHandles open;

  /** The threads on which the context is bound, by the number of the binding. */
  private final Map<Long, Thread> bindings = new ConcurrentHashMap<>();

  private final AtomicLong lastBinding = new AtomicLong();

  /** Null until first used. Written under this object's monitor. */
  private volatile @Nullable Handle handle;

  CudaContext(ContextCalls calls, DriverErrors errors, int ordinal, OpenHandles.Shared handles) {
    this.calls = calls;
    this.errors = errors;
    this.ordinal = ordinal;
    this.open = new OpenHandles(ordinal, handles);
    this.current = new ThreadContext(calls, errors, toString(), CudaBackend::logger);
  }

  /** Makes a call with the context current and returns its result; throws if that is fatal. */
  int call(String call, IntSupplier body) {
    return use(() -> errors.call(call, body));
  }

  /** Makes several calls with the context current; a concurrent close takes effect afterwards. */
  int use(IntSupplier calling) {
    life.enter(this);
    try {
      return current.with(retained(), calling);
    } finally {
      life.leave();
    }
  }

  /**
   * Makes a call with a peer's context as argument and returns its result; neither context is
   * released meanwhile. The peer's context is retained first, because that may block.
   */
  int callWithPeer(CudaContext peer, String call, ToIntFunction<Handle> body) {
    peer.life.enter(peer);
    try {
      Handle theirs = peer.retained();
      return call(call, () -> body.applyAsInt(theirs));
    } finally {
      peer.life.leave();
    }
  }

  /** Makes a call that must succeed. */
  void run(String call, Supplier<String> wanted, IntSupplier body) {
    errors.requireSuccess(call, wanted, call(call, body));
  }

  /** Makes a call that queries whether work is complete. */
  boolean isDone(String call, Supplier<String> wanted, IntSupplier body) {
    return errors.succeeded(call, CudaResult.NOT_READY, wanted, call(call, body));
  }

  /** Makes a call that allocates memory. */
  void allocate(String call, long bytes, IntSupplier body) {
    errors.requireMemory(call, bytes, call(call, body));
  }

  /** Throws if the backend is closed. */
  void requireOpen(Object what) {
    if (life.isClosed()) {
      throw new ClosedException(
          "the backend of " + what,
          "its handles are no longer valid",
          "close the backend after" + " its last use");
    }
  }

  /** Releases a handle; no effect if the context is released or lost. */
  void release(String call, Supplier<String> wanted, IntSupplier body) {
    if (errors.isLost() || !life.tryEnter()) {
      return;
    }
    try {
      current.with(
          retained(),
          () -> {
            errors.release(call, wanted, body);
            return CudaResult.SUCCESS;
          });
    } catch (GpuException e) {
      // Making the context current may be the first call after the driver was shut down or lost.
      if (!errors.isGone(e)) {
        throw e;
      }
    } finally {
      life.leave();
    }
  }

  /**
   * Returns the driver's context, retaining it on first use. Called only between enter and leave.
   */
  private Handle retained() {
    Handle known = handle;
    return known != null ? known : retain();
  }

  private synchronized Handle retain() {
    Handle known = handle;
    if (known == null) {
      Handle[] made = new Handle[1];
      errors.allocate(
          "cuDevicePrimaryCtxRetain",
          FOOTPRINT,
          () -> calls.cuDevicePrimaryCtxRetain(made, ordinal));
      known = made[0];
      handle = known;
    }
    return known;
  }

  /** Makes the context current on the calling thread until the binding is closed. */
  DeviceBinding bind() {
    life.enter(this);
    long number = lastBinding.incrementAndGet();
    try {
      Thread owner = Thread.currentThread();
      DeviceBinding binding = current.bind(retained(), () -> unbound(number));
      open.add(OpenHandles.Kind.BINDING, number, 0, owner.getName());
      bindings.put(number, owner);
      return binding;
    } catch (RuntimeException | Error e) {
      life.leave();
      throw e;
    }
  }

  private void unbound(long number) {
    if (bindings.remove(number) != null) {
      open.release(OpenHandles.Kind.BINDING, number, life::leave);
    }
  }

  /**
   * Releases the context once no call and no binding of a live thread uses it. Repeated calls have
   * no effect.
   */
  void close() {
    bindings.forEach(
        (number, owner) -> {
          if (!owner.isAlive()) {
            unbound(number);
          }
        });
    life.close();
  }

  private void releaseContext() {
    if (handle != null) {
      errors.release(
          "cuDevicePrimaryCtxRelease",
          () -> "cannot release " + this,
          () -> calls.cuDevicePrimaryCtxRelease(ordinal));
    }
  }

  @Override
  public String toString() {
    return "the context of device " + ordinal;
  }
}
