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

/** Makes driver calls, and errors of ours from the driver's results. */
final class DriverErrors {
  private final DeviceCalls names;
  private final ProcessHealth health;

  /** Null without a measurement. */
  private final AtomicReference<@Nullable DriverCallMeter> meter = new AtomicReference<>();

  DriverErrors(DeviceCalls names, ProcessHealth health) {
    this.names = names;
    this.health = health;
  }

  /** Makes a call unless CUDA is lost; returns its result, which is not a fatal one. */
  int ask(String call, IntSupplier body) {
    health.require();
    int result = call(call, body);
    if (CudaResult.isFatal(result)) {
      throw health.lose(status(call, result));
    }
    return result;
  }

  /**
   * Makes a call that must succeed.
   *
   * @param wanted what for, as the start of an error's message
   */
  void run(String call, Supplier<String> wanted, IntSupplier body) {
    requireSuccess(call, wanted, ask(call, body));
  }

  /** Judges the result of a call that must succeed. */
  void requireSuccess(String call, Supplier<String> wanted, int result) {
    if (result != CudaResult.SUCCESS) {
      throw error(call, result, wanted.get());
    }
  }

  /** Judges the result of a call that may have one other; returns whether it succeeded. */
  boolean succeeded(String call, int other, Supplier<String> wanted, int result) {
    if (result == other) {
      return false;
    }
    requireSuccess(call, wanted, result);
    return true;
  }

  /** Makes a call that takes memory. */
  void take(String call, long bytes, IntSupplier body) {
    requireMemory(call, bytes, ask(call, body));
  }

  /** Judges the result of a call that takes memory. */
  void requireMemory(String call, long bytes, int result) {
    if (result == CudaResult.OUT_OF_MEMORY) {
      throw new DeviceOutOfMemoryException(bytes, status(call, result));
    }
    requireSuccess(call, () -> "cannot take " + bytes + " bytes", result);
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
   * Returns whether an error tells that the driver, and so all that it held, is lost or at its end.
   */
  boolean isGone(GpuException error) {
    return health.isLost() || error.getStatus().code() == CudaResult.DEINITIALIZED;
  }

  /**
   * Gives something back. Nothing is asked of a driver that is lost or that ends with the process:
   * everything is gone there.
   */
  void giveBack(String call, Supplier<String> wanted, IntSupplier body) {
    if (health.isLost()) {
      return;
    }
    int result = call(call, body);
    if (CudaResult.isFatal(result)) {
      // What is given back is lost as well; the next call will say so.
      health.lose(status(call, result));
    } else if (result != CudaResult.SUCCESS && result != CudaResult.DEINITIALIZED) {
      throw error(call, result, wanted.get());
    }
  }

  private int call(String call, IntSupplier body) {
    DriverCallMeter measuring = meter.get();
    return measuring == null ? body.getAsInt() : measuring.measure(call, body);
  }

  /** Measures all calls until the meter is closed; one meter at a time, the latest. */
  DriverCallMeter measure() {
    DriverCallMeter fresh = new DriverCallMeter(closed -> meter.compareAndSet(closed, null));
    meter.set(fresh);
    return fresh;
  }

  private DriverStatus status(String call, int result) {
    return new DriverStatus(result, names.nameOf(result), call);
  }
}
