package org.vramkit.jcuda;

import java.nio.ByteBuffer;
import org.vramkit.cuda.driver.HostMemory;

/**
 * Page-locked memory.
 *
 * @param pointer its first byte
 */
record JCudaHostMemory(HostPointer pointer) implements HostMemory {

  @Override
  public long getAddress() {
    return pointer.address();
  }

  @Override
  public ByteBuffer view(long offset, int bytes) {
    return pointer.getByteBuffer(offset, bytes);
  }
}
