package org.vramkit.api.device;

/**
 * A device that is current on one thread. Closed by that thread, in reverse order of binding; once.
 * A binding that a thread left open when it finished may be closed by any thread.
 */
@FunctionalInterface
public interface DeviceBinding extends AutoCloseable {

  /** Of a backend where no device is ever current. */
  DeviceBinding NONE = () -> {};

  /**
   * Makes current again what was so before.
   *
   * @throws IllegalStateException on another thread than the one that bound the device, as long as
   *     that one has not finished, if the backend knows of current devices
   */
  @Override
  void close();
}
