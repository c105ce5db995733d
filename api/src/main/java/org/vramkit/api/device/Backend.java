package org.vramkit.api.device;

import java.util.List;

/**
 * Gives access to the devices of a machine, through a CUDA binding or the simulator. Open a backend
 * with {@link org.vramkit.api.discovery.Backends}, and close it after use. Safe for any thread.
 */
public interface Backend extends AutoCloseable {

  /** Returns the name that selects this backend, such as {@code sim}. */
  String getName();

  /** Returns the usable devices by ordinal. The list never changes. Makes no driver call. */
  List<Device> getDevices();

  /**
   * Returns one device.
   *
   * @param ordinal the device's number, from 0
   * @throws org.vramkit.api.error.InvalidArgumentException if there is no such device; the message
   *     gives the number of devices
   */
  Device getDevice(int ordinal);

  /**
   * Returns whether a capture that this backend began is in progress on any device. Its thread must
   * not make calls on any device that it would refuse on its own. Makes no driver call.
   */
  default boolean isAnyCapturing() {
    for (Device device : getDevices()) {
      if (device.supports(Capability.GRAPHS) && device.getGraphs().isAnyCapturing()) {
        return true;
      }
    }
    return false;
  }

  /**
   * Releases the backend's own resources, and with them all memory of its devices. Close
   * allocators, streams and other handles first: a CUDA backend logs those that are open, the
   * simulator reports them as leaks. Their later close has no effect, and other calls on them throw
   * {@link org.vramkit.api.error.ClosedException}. Repeated calls have no effect.
   */
  @Override
  void close();
}
