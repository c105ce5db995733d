package org.vramkit.api.device;

/**
 * The driver's view of a device's memory at one moment.
 *
 * @param freeBytes bytes that no process has allocated
 * @param totalBytes size of the device's memory
 */
public record MemoryInfo(long freeBytes, long totalBytes) {

  /** Returns the bytes allocated by all processes. */
  public long getUsedBytes() {
    return totalBytes - freeBytes;
  }
}
