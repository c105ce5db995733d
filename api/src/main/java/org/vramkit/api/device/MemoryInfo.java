package org.vramkit.api.device;

/**
 * The driver's view of a device's memory at one moment.
 *
 * @param freeBytes bytes that no process has taken
 * @param totalBytes bytes of the device
 */
public record MemoryInfo(long freeBytes, long totalBytes) {

  /** Bytes taken, by whomever. */
  public long getUsedBytes() {
    return totalBytes - freeBytes;
  }
}
