package org.vramkit.api.device;

/**
 * A device that is current on one thread. Closed by that thread, in reverse order of binding; once.
 */
@FunctionalInterface
public interface DeviceBinding extends AutoCloseable {

  /** Of a backend where no device is ever current. */
  DeviceBinding NONE = () -> {};

  /** Makes current again what was so before. */
  @Override
  void close();
}
