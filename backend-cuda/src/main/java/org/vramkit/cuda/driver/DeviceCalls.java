package org.vramkit.cuda.driver;

/** Calls about devices, the driver version and result names, which need no context. */
public interface DeviceCalls {

  /** Returns the driver's name of a result, such as {@code CUDA_ERROR_OUT_OF_MEMORY}. */
  String nameOf(int result);

  /** Initializes the driver for the process; repeated calls have no effect. */
  int cuInit();

  /**
   * Gets the newest CUDA version that the driver supports.
   *
   * @param version receives 1000 x major + 10 x minor
   */
  int cuDriverGetVersion(int[] version);

  /** Gets the number of visible devices. */
  int cuDeviceGetCount(int[] count);

  /**
   * Gets a device's name.
   *
   * @param name receives the name in ASCII, terminated by a zero byte
   */
  int cuDeviceGetName(byte[] name, int ordinal);

  /** Gets a device's memory in bytes. */
  int cuDeviceTotalMem(long[] bytes, int ordinal);

  /** Gets an attribute by its {@code CUdevice_attribute} number. */
  int cuDeviceGetAttribute(int[] value, int attribute, int ordinal);

  /** Queries whether a device can access a peer's memory; {@code can} receives 1 or 0. */
  int cuDeviceCanAccessPeer(int[] can, int ordinal, int peer);
}
