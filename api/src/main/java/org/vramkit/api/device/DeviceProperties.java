package org.vramkit.api.device;

/**
 * Properties of a device. Numbers are 0 if unknown.
 *
 * @param name the product name, such as {@code NVIDIA H200}
 * @param totalMemoryBytes size of the device's memory in bytes
 * @param multiprocessors number of streaming multiprocessors
 * @param clockKilohertz peak clock of the multiprocessors in kHz
 * @param memoryClockKilohertz peak clock of the memory in kHz
 * @param memoryBusBits width of the memory bus in bits
 * @param l2CacheBytes size of the L2 cache in bytes
 * @param computeMajor major compute capability
 * @param computeMinor minor compute capability
 * @param integrated whether the device shares the host's memory
 * @param errorCorrection whether the device's memory has ECC enabled
 */
public record DeviceProperties(
    String name,
    long totalMemoryBytes,
    int multiprocessors,
    int clockKilohertz,
    int memoryClockKilohertz,
    int memoryBusBits,
    long l2CacheBytes,
    int computeMajor,
    int computeMinor,
    boolean integrated,
    boolean errorCorrection) {

  /**
   * Returns the peak memory bandwidth in bytes per second: clock x 2 (double data rate) x width; 0
   * if the clock or the width is unknown.
   */
  public double getMemoryBandwidth() {
    return memoryClockKilohertz * 1000.0 * 2 * memoryBusBits / 8;
  }
}
