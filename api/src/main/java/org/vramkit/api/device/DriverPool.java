package org.vramkit.api.device;

/** One pool of the driver. Safe for any thread. */
public interface DriverPool extends StreamOrderedMemory, AutoCloseable {

  /** The device it belongs to. */
  Device getDevice();

  /**
   * Unused memory above this many bytes goes back to the driver at the next synchronisation. The
   * driver's default is 0.
   *
   * @param bytes not negative
   * @throws org.vramkit.api.error.NotSupportedException without {@link
   *     Capability#DRIVER_POOL_ATTRIBUTES}
   */
  void setReleaseThreshold(long bytes);

  /**
   * Allows or forbids one way in which the pool hands freed memory to another stream.
   *
   * @throws org.vramkit.api.error.NotSupportedException without {@link
   *     Capability#DRIVER_POOL_ATTRIBUTES}
   */
  void setReuse(DriverPoolReuse reuse, boolean enabled);

  /**
   * Used and reserved bytes, now and at their peak.
   *
   * @throws org.vramkit.api.error.NotSupportedException without {@link
   *     Capability#DRIVER_POOL_ATTRIBUTES}
   */
  DriverPoolStatistics getStatistics();

  /**
   * Gives unused memory back to the driver until at most this much is held.
   *
   * @param keepBytes not negative
   */
  void trim(long keepBytes);

  /** Destroys the pool and surfaces the driver's error; harmless when repeated. */
  @Override
  void close();
}
