package org.vramkit.gpu;

import org.vramkit.api.device.Stream;

/** Kernels over blocks of 1 MiB, for what a scatter gains. */
interface ScatterWork extends AutoCloseable {
  /** What limits a kernel. */
  enum Limit {
    MEMORY,
    COMPUTE
  }

  /**
   * Submits a kernel over floats; its device is current on the calling thread.
   *
   * @param address of the first
   * @param count how many
   */
  void launch(Limit limit, Stream stream, long address, int count);

  @Override
  void close();
}
