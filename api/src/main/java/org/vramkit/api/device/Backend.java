package org.vramkit.api.device;

import java.util.List;

/**
 * One way to reach devices: a CUDA binding, or the simulator. Opened through {@link
 * org.vramkit.api.discovery.Backends} and closed by its opener. Safe for any thread.
 */
public interface Backend extends AutoCloseable {

  /** The name by which it is chosen, such as {@code sim}. */
  String getName();

  /** The usable devices, by ordinal; the list never changes and touches no device. */
  List<Device> getDevices();

  /**
   * One device.
   *
   * @param ordinal its number, from 0
   * @throws org.vramkit.api.error.InvalidArgumentException if there is no such device; the message
   *     names how many there are
   */
  Device getDevice(int ordinal);

  /** Gives back what the backend itself holds. Harmless when repeated. */
  @Override
  void close();
}
