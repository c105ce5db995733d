package org.vramkit.api.device;

/**
 * Keeps a device current on one thread until it is closed. The thread that created the binding
 * closes it once; several bindings are closed in reverse order. Any thread may close the bindings
 * that a terminated thread left open.
 */
@FunctionalInterface
public interface DeviceBinding extends AutoCloseable {

  /** A binding without effect, for backends that have no current device. */
  DeviceBinding NONE = () -> {};

  /**
   * Restores the device that was current before.
   *
   * @throws IllegalStateException if another thread, which is still alive, created this binding;
   *     {@link #NONE} does not check this
   */
  @Override
  void close();
}
