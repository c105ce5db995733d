package org.vramkit.ffm;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.vramkit.cuda.driver.HostMemory;

/**
 * Page-locked or managed memory.
 *
 * @param getAddress the address of the first byte
 */
record FfmHostMemory(long getAddress) implements HostMemory {

  @Override
  public ByteBuffer view(long offset, int bytes) {
    return MemorySegment.ofAddress(getAddress + offset).reinterpret(bytes).asByteBuffer();
  }
}
