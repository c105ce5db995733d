package org.vramkit.api.spi;

import org.vramkit.api.device.Backend;

/**
 * Registers a backend with {@link java.util.ServiceLoader}. The constructor, {@link #getName} and
 * {@link #getPriority} must not load native code, because a class path may contain backends that
 * cannot load on this machine.
 *
 * <p>The jar names the class in {@code META-INF/services/org.vramkit.api.spi.BackendProvider}, a
 * named module in {@code provides}. {@code docs/backends.md} explains how to write a backend.
 */
public interface BackendProvider {

  /** The priority of the simulator, below every real backend. */
  int SIMULATOR_PRIORITY = 0;

  /** Returns a short lower-case name, unique on the class path, such as {@code javacpp}. */
  String getName();

  /** Returns the priority; the available backend with the highest priority is chosen. */
  int getPriority();

  /**
   * Checks whether the backend can be used on this machine. May load native code. Returns the
   * reason instead of throwing; a {@link LinkageError} that escapes counts as not available.
   */
  Availability probe();

  /**
   * Opens the backend with its default configuration.
   *
   * @throws org.vramkit.api.error.BackendNotAvailableException if it cannot be used here
   */
  Backend open();
}
