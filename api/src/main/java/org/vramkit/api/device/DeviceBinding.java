package org.vramkit.api.device;

/**
 * A device that is current on one thread. The same thread closes bindings once, in reverse order.
 * If the thread has terminated, any thread may close the bindings that it left open.
 */
@FunctionalInterface
public interface DeviceBinding extends AutoCloseable {

  /** The binding of a backend without current devices; closing it has no effect. */
  DeviceBinding NONE = () -> {};

  /**
   * Restores the device that was current before.
   *
   * @throws IllegalStateException if another thread bound the device and is still alive, for
   *     backends with current devices
   */
  @Override
  void close();
}
