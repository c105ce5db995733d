package org.vramkit.jcuda;

import java.nio.ByteBuffer;
import jcuda.Pointer;
import org.vramkit.cuda.driver.HostMemory;

/**
 * Page-locked or managed memory.
 *
 * @param pointer a pointer to the first byte
 * @param address the address of the first byte
 */
record JCudaHostMemory(Pointer pointer, long address) implements HostMemory {

  @Override
  public long getAddress() {
    return address;
  }

  @Override
  public ByteBuffer view(long offset, int bytes) {
    return pointer.getByteBuffer(offset, bytes);
  }
}
