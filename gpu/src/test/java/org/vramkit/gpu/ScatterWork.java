package org.vramkit.gpu;

import org.vramkit.api.device.Stream;

/** Kernels over blocks of 1 MiB, for measurements of scatters. */
interface ScatterWork extends AutoCloseable {
  /** The resource that limits a kernel. */
  enum Limit {
    MEMORY,
    COMPUTE
  }

  /**
   * Submits a kernel over floats. Its device is current on the calling thread.
   *
   * @param address address of the first float
   * @param count number of floats
   */
  void launch(Limit limit, Stream stream, long address, int count);

  @Override
  void close();
}
