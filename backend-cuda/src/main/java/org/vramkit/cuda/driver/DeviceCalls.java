package org.vramkit.cuda.driver;

/** Devices, the driver's version, and the names of its results. No context is needed. */
public interface DeviceCalls {

  /** The driver's name of a result, such as {@code CUDA_ERROR_OUT_OF_MEMORY}. */
  String nameOf(int result);

  /** Initialises the driver for the process; harmless when repeated. */
  int cuInit();

  /**
   * The newest CUDA version that the driver speaks.
   *
   * @param version receives 1000 x major + 10 x minor
   */
  int cuDriverGetVersion(int[] version);

  /** How many devices are visible. */
  int cuDeviceGetCount(int[] count);

  /**
   * A device's name.
   *
   * @param name receives it in ASCII, ended by a zero byte
   */
  int cuDeviceGetName(byte[] name, int ordinal);

  /** A device's memory in bytes. */
  int cuDeviceTotalMem(long[] bytes, int ordinal);

  /** One attribute, by the number of its {@code CUdevice_attribute}. */
  int cuDeviceGetAttribute(int[] value, int attribute, int ordinal);

  /** Returns whether a device can reach a peer's memory: receives 1 or 0. */
  int cuDeviceCanAccessPeer(int[] can, int ordinal, int peer);
}
