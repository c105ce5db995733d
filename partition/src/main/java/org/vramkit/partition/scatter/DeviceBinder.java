package org.vramkit.partition.scatter;

import org.vramkit.api.device.Device;
import org.vramkit.api.device.DeviceBinding;

/** Makes a device current on a worker thread, for tasks that call the driver directly. */
@FunctionalInterface
interface DeviceBinder {

  /** Binds by {@link Device#bind}. */
  DeviceBinder BY_BACKEND = Device::bind;

  /**
   * Makes {@code device} current. Called on the worker thread before each tile.
   *
   * @return the binding, closed after the tile on the same thread
   * @throws org.vramkit.api.error.GpuException if the device cannot be bound, which counts as a
   *     failure of the GPU
   */
  DeviceBinding bind(Device device);

  /**
   * Runs a step while {@code device} is current. A failure of the step hides one of the unbinding.
   */
  default void bound(Device device, Step step) throws Exception {
    DeviceBinding binding = bind(device);
    try {
      step.run();
    } catch (Throwable e) {
      try {
        binding.close();
      } catch (Throwable unbinding) {
        Failures.suppress(e, unbinding);
      }
      throw e;
    }
    binding.close();
  }

  /** A step that needs the device. */
  interface Step {
    void run() throws Exception;
  }
}
