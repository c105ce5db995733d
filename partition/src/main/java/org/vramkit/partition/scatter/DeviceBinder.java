package org.vramkit.partition.scatter;

import org.vramkit.api.device.Device;

/**
 * Makes a device the current one of a worker thread, for tasks that call the driver themselves.
 * Whatever goes through a {@link Device} needs no binding: backends bind within each call.
 */
@FunctionalInterface
public interface DeviceBinder {

  /** Binds nothing. */
  DeviceBinder NONE = device -> () -> {};

  /**
   * Called on the worker thread before each tile.
   *
   * @return what leaves the thread as it was found, called after the tile on the same thread
   * @throws org.vramkit.api.error.GpuException if the device cannot be bound; the tile then counts
   *     as failed by its GPU
   */
  Binding bind(Device device);

  /** A device that is current. */
  @FunctionalInterface
  interface Binding extends AutoCloseable {

    /** Makes current again what was so before. */
    @Override
    void close();
  }
}
