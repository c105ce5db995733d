package org.vramkit.api.device;

/**
 * A device that is current on one thread. Closed by that thread, in reverse order of binding; once.
 */
@FunctionalInterface
public interface DeviceBinding extends AutoCloseable {

  /** Of a backend where no device is ever current. */
  DeviceBinding NONE = () -> {};

  /**
   * Makes current again what was so before.
   *
   * @throws IllegalStateException on another thread than the one that bound the device, if the
   *     backend knows of current devices
   */
  @Override
  void close();
}
