package org.vramkit.cuda;

import static java.lang.System.Logger.Level.WARNING;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.vramkit.api.device.Backend;
import org.vramkit.api.device.Device;
import org.vramkit.api.error.Batch;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.cuda.driver.CudaDriver;

/**
 * The CUDA devices that are visible to this process. Opening the backend creates no context. The
 * first call to a device retains its primary context, and the close of the backend releases it.
 * Close streams, events and memory before the backend. Otherwise they are destroyed with the
 * context, unless another library of the process keeps the context alive. Handles that are open at
 * the close are logged as a warning.
 */
public final class CudaBackend implements Backend {
  private final String name;
  private final String binding;
  private final DriverErrors errors;
  private final List<CudaDevice> devices = new ArrayList<>();

  final OpenHandles.Shared handles = new OpenHandles.Shared();
  final CudaCaptures captures = new CudaCaptures();
  private final Consumer<String> warnings;
  private final AtomicBoolean closed = new AtomicBoolean();

  CudaBackend(String name, CudaDriver driver, ProcessHealth health) {
    this(name, driver, health, warning -> logger().log(WARNING, warning));
  }

  /** Returns the logger. Not a constant, because the first logger of a JVM initializes logging. */
  static System.Logger logger() {
    return System.getLogger(CudaBackend.class.getName());
  }

  /**
   * Opens all visible devices.
   *
   * @param warnings receives a report of handles that are open at the close
   */
  CudaBackend(String name, CudaDriver driver, ProcessHealth health, Consumer<String> warnings) {
    this.warnings = warnings;
    this.name = name;
    this.binding = driver.getBinding();
    this.errors = new DriverErrors(driver.devices(), health);
    errors.run("cuInit", () -> "cannot use CUDA", driver.devices()::cuInit);
    int[] version = new int[1];
    errors.run(
        "cuDriverGetVersion",
        () -> "cannot query the driver's version",
        () -> driver.devices().cuDriverGetVersion(version));
    int[] count = new int[1];
    errors.run(
        "cuDeviceGetCount",
        () -> "cannot count devices",
        () -> driver.devices().cuDeviceGetCount(count));
    for (int ordinal = 0; ordinal < count[0]; ordinal++) {
      devices.add(new CudaDevice(this, driver, errors, ordinal, version[0]));
    }
  }

  /**
   * Opens all devices through a binding.
   *
   * @param name the backend's name
   * @param driver the binding's calls
   * @throws org.vramkit.api.error.GpuException if the driver returns an error
   */
  public static CudaBackend open(String name, CudaDriver driver) {
    return new CudaBackend(name, driver, ProcessHealth.OF_PROCESS);
  }

  @Override
  public String getName() {
    return name;
  }

  @Override
  public List<Device> getDevices() {
    return List.copyOf(devices);
  }

  @Override
  public Device getDevice(int ordinal) {
    if (ordinal < 0 || ordinal >= devices.size()) {
      throw new InvalidArgumentException(
          "no device " + ordinal + ": " + this + " sees " + devices.size() + ", numbered from 0");
    }
    return devices.get(ordinal);
  }

  @Override
  public boolean isAnyCapturing() {
    return captures.isAny();
  }

  /**
   * Counts and times all driver calls until the returned meter is closed or replaced by another.
   */
  public DriverCallMeter measure() {
    return errors.measure();
  }

  @Override
  public void close() {
    // After a fatal error all handles are invalid, so open ones are no leaks.
    if (closed.compareAndSet(false, true) && !errors.isLost()) {
      warnOfLeaks();
    }
    Batch.forEach(devices, CudaDevice::close);
  }

  private void warnOfLeaks() {
    for (CudaDevice device : devices) {
      String left = device.context.open.report();
      if (!left.isEmpty()) {
        warnings.accept(
            this
                + " was closed with open handles of "
                + device
                + ", "
                + left
                + "\n  close them, or the allocator that allocated them, before the backend");
      }
    }
  }

  @Override
  public String toString() {
    return "CUDA through " + binding;
  }
}
