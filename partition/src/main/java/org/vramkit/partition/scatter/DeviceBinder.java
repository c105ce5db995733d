package org.vramkit.partition.scatter;

import org.vramkit.api.device.Device;
import org.vramkit.api.device.DeviceBinding;

/** How a worker makes its device current, for tasks that call the driver themselves. */
@FunctionalInterface
interface DeviceBinder {

  /** As backends do it; {@link Device#bind}. */
  DeviceBinder BY_BACKEND = Device::bind;

  /**
   * Called on the worker thread before each tile.
   *
   * @return what leaves the thread as it was found, closed after the tile on the same thread
   * @throws org.vramkit.api.error.GpuException if the device cannot be bound; the tile then counts
   *     as failed by its GPU
   */
  DeviceBinding bind(Device device);
}
