package org.vramkit.tools.replay;

import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Backend;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.DeviceBinding;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.BackendNotAvailableException;
import org.vramkit.cuda.CudaBackend;
import org.vramkit.cuda.DriverCallMeter;

/**
 * A target on the first device of a backend, in real time and without a checker. CUDA backends
 * count and time their driver calls.
 */
final class BackendTarget implements ReplayTarget {
  // Keeps the stream busy for a moment; traces do not record how long work took.
  private static final long TOUCHED_BYTES = 256;

  private final Backend backend;

  /** Keeps the device current on the replaying thread, as programs that launch kernels do. */
  private final DeviceBinding current;

  private @Nullable DriverCallMeter meter;

  BackendTarget(Backend backend) {
    if (backend.getDevices().isEmpty()) {
      String name = backend.getName();
      backend.close();
      throw new BackendNotAvailableException(
          "backend '" + name + "' has no device; replay on the simulator with --backend sim");
    }
    this.backend = backend;
    this.current = backend.getDevice(0).bind();
  }

  @Override
  public Device getDevice() {
    return backend.getDevice(0);
  }

  @Override
  public long getTimeNanos() {
    return 0;
  }

  @Override
  public LongSupplier getProgramClock() {
    return System::nanoTime;
  }

  @Override
  public void advanceTo(long nanos) {}

  @Override
  public void touch(Stream stream, long address, long bytes) {
    stream.fill(address, (byte) 0, Math.min(bytes, TOUCHED_BYTES));
  }

  @Override
  public void startCounting() {
    if (backend instanceof CudaBackend cuda) {
      meter = cuda.measure();
    }
  }

  @Override
  public @Nullable DriverFigures getFigures() {
    return meter == null ? null : DriverFigures.of(meter);
  }

  @Override
  public @Nullable Long getDriverNanos() {
    return null;
  }

  @Override
  public @Nullable Long getHazards() {
    return null;
  }

  @Override
  public @Nullable String getFirstHazard() {
    return null;
  }

  @Override
  public List<String> getLeaks() {
    return List.of();
  }

  @Override
  public void close() {
    current.close();
    backend.close();
  }
}
