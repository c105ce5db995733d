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
 * The primary context of one device, which every library of the process shares: retained when it is
 * first needed, released when the backend closes. Made current around each call, because nothing
 * else that the calling thread does may notice which device Vramkit uses.
 */
final class CudaContext {
  private static final System.Logger LOGGER = System.getLogger(CudaBackend.class.getName());

  /** The approximate size of the driver's context itself; only named in errors. */
  private static final long FOOTPRINT = 512 * ByteSize.MIB;

  private final ContextCalls calls;
  private final DriverErrors errors;
  private final int ordinal;
  private final ThreadContext current;
  private final Lifetime life = new Lifetime(this::release);

  /** What the driver gave in this context and has not back. */
  final OpenHandles open;

  /** Threads that have the context current, by the number of the binding. */
  private final Map<Long, Thread> bindings = new ConcurrentHashMap<>();

  private final AtomicLong lastBinding = new AtomicLong();

  /** Null until first needed. Written under this object's monitor. */
  private volatile @Nullable Handle handle;

  CudaContext(ContextCalls calls, DriverErrors errors, int ordinal) {
    this.calls = calls;
    this.errors = errors;
    this.ordinal = ordinal;
    this.open = new OpenHandles(ordinal);
    this.current = new ThreadContext(calls, errors, toString(), LOGGER);
  }

  /** Makes a call with the context current; returns its result, which is not a fatal one. */
  int ask(String call, IntSupplier body) {
    return use(() -> errors.ask(call, body));
  }

  /**
   * Makes several calls with the context current, which it stays although it is closed meanwhile.
   */
  int use(IntSupplier calling) {
    life.enter(this);
    try {
      return current.with(retained(), calling);
    } finally {
      life.leave();
    }
  }

  /**
   * Makes a call that names a peer's context, which is kept as long; returns its result. The peer's
   * is looked up before this one is current, as that may block.
   */
  int askWith(CudaContext peer, String call, ToIntFunction<Handle> body) {
    peer.life.enter(peer);
    try {
      Handle theirs = peer.retained();
      return ask(call, () -> body.applyAsInt(theirs));
    } finally {
      peer.life.leave();
    }
  }

  /** Makes a call that must succeed. */
  void run(String call, Supplier<String> wanted, IntSupplier body) {
    errors.requireSuccess(call, wanted, ask(call, body));
  }

  /** Makes a call that asks whether work is done. */
  boolean isDone(String call, Supplier<String> wanted, IntSupplier body) {
    return errors.succeeded(call, CudaResult.NOT_READY, wanted, ask(call, body));
  }

  /** Makes a call that takes memory. */
  void take(String call, long bytes, IntSupplier body) {
    errors.requireMemory(call, bytes, ask(call, body));
  }

  /** Refuses what is gone with the context. */
  void requireOpen(Object what) {
    if (life.isClosed()) {
      throw new ClosedException(
          "the backend of " + what, "what belongs to it is gone with it", "close it after its use");
    }
  }

  /** Gives something back; what belonged to a context that is released is gone with it. */
  void giveBack(String call, Supplier<String> wanted, IntSupplier body) {
    if (errors.isLost() || !life.tryEnter()) {
      return;
    }
    try {
      current.with(
          retained(),
          () -> {
            errors.giveBack(call, wanted, body);
            return CudaResult.SUCCESS;
          });
    } catch (GpuException e) {
      // To make the context current may be the first call that meets a driver which is no more.
      if (!errors.isGone(e)) {
        throw e;
      }
    } finally {
      life.leave();
    }
  }

  /** The driver's context, retained now at the latest; only within a use. */
  private Handle retained() {
    Handle known = handle;
    return known != null ? known : retain();
  }

  private synchronized Handle retain() {
    Handle known = handle;
    if (known == null) {
      Handle[] made = new Handle[1];
      errors.take(
          "cuDevicePrimaryCtxRetain",
          FOOTPRINT,
          () -> calls.cuDevicePrimaryCtxRetain(made, ordinal));
      known = made[0];
      handle = known;
    }
    return known;
  }

  /** Makes the context current until the binding is closed, on the same thread. */
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
      open.giveBack(OpenHandles.Kind.BINDING, number, life::leave);
    }
  }

  /**
   * Releases the context once no call uses it, and no binding of a thread that can still close it.
   * Harmless when repeated.
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

  private void release() {
    if (handle != null) {
      errors.giveBack(
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
