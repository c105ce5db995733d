package org.vramkit.cuda;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.error.CaptureException;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.DriverException;
import org.vramkit.api.error.DriverStatus;
import org.vramkit.api.error.GpuException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.error.NotSupportedException;
import org.vramkit.cuda.driver.CudaResult;
import org.vramkit.cuda.driver.DeviceCalls;

/** Makes driver calls and converts their results to exceptions. */
final class DriverErrors {
  private final DeviceCalls names;
  private final ProcessHealth health;

  /** Null if no measurement is in progress. */
  private final AtomicReference<@Nullable DriverCallMeter> meter = new AtomicReference<>();

  DriverErrors(DeviceCalls names, ProcessHealth health) {
    this.names = names;
    this.health = health;
  }

  /** Makes a call and returns its result; throws if that is fatal, or if CUDA is already lost. */
  int call(String call, IntSupplier body) {
    health.require();
    int result = invoke(call, body);
    if (CudaResult.isFatal(result)) {
      throw health.lose(status(call, result));
    }
    return result;
  }

  /**
   * Makes a call that must succeed.
   *
   * @param wanted the failed action, for the start of the error message
   */
  void run(String call, Supplier<String> wanted, IntSupplier body) {
    requireSuccess(call, wanted, call(call, body));
  }

  /** Throws unless a call succeeded. */
  void requireSuccess(String call, Supplier<String> wanted, int result) {
    if (result != CudaResult.SUCCESS) {
      throw error(call, result, wanted.get());
    }
  }

  /**
   * Returns true for success and false for the result {@code other}; throws for any other result.
   */
  boolean succeeded(String call, int other, Supplier<String> wanted, int result) {
    if (result == other) {
      return false;
    }
    requireSuccess(call, wanted, result);
    return true;
  }

  /** Makes a call that allocates memory. */
  void allocate(String call, long bytes, IntSupplier body) {
    requireMemory(call, bytes, call(call, body));
  }

  /** Throws unless a call has allocated memory. */
  void requireMemory(String call, long bytes, int result) {
    if (result == CudaResult.OUT_OF_MEMORY) {
      throw new DeviceOutOfMemoryException(bytes, status(call, result));
    }
    requireSuccess(call, () -> "cannot allocate " + bytes + " bytes", result);
  }

  GpuException error(String call, int result, String wanted) {
    DriverStatus status = status(call, result);
    if (CaptureException.isAbout(result)) {
      return new CaptureException(wanted, status);
    }
    return switch (result) {
      case CudaResult.INVALID_VALUE,
          CudaResult.INVALID_HANDLE,
          CudaResult.HOST_MEMORY_ALREADY_REGISTERED ->
          new InvalidArgumentException(wanted, status);
      case CudaResult.OUT_OF_MEMORY ->
          new DeviceOutOfMemoryException(wanted + ": out of memory", 0, status, null);
      case CudaResult.NOT_SUPPORTED -> new NotSupportedException(wanted, status);
      default -> new DriverException(wanted, status);
    };
  }

  boolean isLost() {
    return health.isLost();
  }

  /**
   * Returns whether CUDA is lost or the driver has been shut down, so that all handles are invalid.
   */
  boolean isGone(GpuException error) {
    return health.isLost() || error.getStatus().code() == CudaResult.DEINITIALIZED;
  }

  /**
   * Makes a call that releases a handle. No effect if CUDA is lost or the driver has been shut
   * down, because the handle is then invalid.
   */
  void release(String call, Supplier<String> wanted, IntSupplier body) {
    if (health.isLost()) {
      return;
    }
    int result = invoke(call, body);
    if (CudaResult.isFatal(result)) { // The handle is lost as well; the next call will throw.
      health.lose(status(call, result));
    } else if (result != CudaResult.SUCCESS && result != CudaResult.DEINITIALIZED) {
      throw error(call, result, wanted.get());
    }
  }

  private int invoke(String call, IntSupplier body) {
    DriverCallMeter measuring = meter.get();
    return measuring == null ? body.getAsInt() : measuring.measure(call, body);
  }

  /** Measures all calls until the meter is closed or replaced by a later one. */
  DriverCallMeter measure() {
    DriverCallMeter fresh = new DriverCallMeter(closed -> meter.compareAndSet(closed, null));
    meter.set(fresh);
    return fresh;
  }

  DriverStatus status(String call, int result) {
    return new DriverStatus(result, names.nameOf(result), call);
  }
}
