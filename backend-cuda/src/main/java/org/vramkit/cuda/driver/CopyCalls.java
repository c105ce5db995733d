package org.vramkit.cuda.driver;

import java.nio.ByteBuffer;

/** Calls that fill and copy in stream order. */
public interface CopyCalls {

  /** Sets bytes of device memory. */
  int cuMemsetD8Async(long target, byte value, long bytes, Handle stream);

  /** Copies within a device or between two. */
  int cuMemcpyAsync(long target, long source, long bytes, Handle stream);

  /** Copies the bytes from 0 to the capacity of a direct buffer to a device. */
  int cuMemcpyHtoDAsync(long target, ByteBuffer source, Handle stream);

  /** Copies to a device from page-locked memory. */
  int cuMemcpyHtoDAsync(long target, HostMemory source, long offset, long bytes, Handle stream);

  /** Fills the bytes from 0 to the capacity of a direct buffer from a device. */
  int cuMemcpyDtoHAsync(ByteBuffer target, long source, Handle stream);

  /** Copies from a device to page-locked memory. */
  int cuMemcpyDtoHAsync(HostMemory target, long offset, long source, long bytes, Handle stream);

  /**
   * Copies ranges in any order, behind the earlier work of the stream. Takes neither the legacy
   * default stream nor a captured one.
   *
   * @return 801, not supported, if the driver or the binding lacks the function
   */
  int cuMemcpyBatchAsync(long[] targets, long[] sources, long[] bytes, Handle stream);
}
