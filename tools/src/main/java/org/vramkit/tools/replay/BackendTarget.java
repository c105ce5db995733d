package org.vramkit.tools.replay;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Backend;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.BackendNotAvailableException;
import org.vramkit.cuda.CudaBackend;
import org.vramkit.cuda.DriverCallMeter;

/**
 * The first device of any backend. Its clock is the world's, and nobody checks; CUDA backends count
 * and time their driver calls.
 */
final class BackendTarget implements ReplayTarget {
  // Enough to be work on the stream; a trace does not tell how long the real work took.
  private static final long TOUCHED_BYTES = 256;

  /** What {@link #touch} calls, and no allocator does. */
  private static final String TOUCH = "cuMemsetD8Async";

  private final Backend backend;
  private @Nullable DriverCallMeter meter;

  BackendTarget(Backend backend) {
    if (backend.getDevices().isEmpty()) {
      String name = backend.getName();
      backend.close();
      throw new BackendNotAvailableException(
          "backend '" + name + "' has no device; replay on the simulator with --backend sim");
    }
    this.backend = backend;
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
    if (meter == null) {
      return null;
    }
    Map<String, Long> counts = new TreeMap<>(meter.getCounts());
    Map<String, Long> nanos = new TreeMap<>(meter.getNanos());
    counts.remove(TOUCH);
    nanos.remove(TOUCH);
    return new DriverFigures(counts, nanos.values().stream().mapToLong(Long::longValue).sum());
  }

  @Override
  public long getHazards() {
    return 0;
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
    backend.close();
  }
}
