package org.vramkit.api.device;

/**
 * Memory that can be passed to a kernel, which gets its address. A launch records itself as a use
 * of the memory, so that memory of another stream is not reused before the kernel has ended.
 */
public interface MemoryArgument {

  /** Returns the address of the first byte. */
  long getAddress();

  /**
   * Returns whether {@link #recordUse} accepts the streams of a device. If it does not, launches on
   * this device record nothing, and the caller orders them. False by default.
   */
  default boolean recordsUsesOf(Device device) {
    return false;
  }

  /**
   * Records that work submitted to a stream uses the memory. The stream that the memory belongs to
   * needs no record. The default implementation does nothing.
   */
  default void recordUse(Stream stream) {}
}
