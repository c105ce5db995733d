package org.vramkit.javacpp;

import java.nio.ByteBuffer;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.Pointer;
import org.vramkit.cuda.driver.HostMemory;

/**
 * Page-locked or managed memory.
 *
 * @param pointer the first byte; its position never changes
 */
record JavaCppHostMemory(BytePointer pointer) implements HostMemory {

  /** Returns the memory at an address. */
  static JavaCppHostMemory at(long first, long bytes) {
    BytePointer pointer =
        new BytePointer((Pointer) null) {
          {
            this.address = first;
          }
        };
    return new JavaCppHostMemory(pointer.capacity(bytes));
  }

  /** Returns the memory of a direct buffer at position 0; the caller keeps it reachable. */
  static JavaCppHostMemory of(ByteBuffer bytes) {
    return new JavaCppHostMemory(new BytePointer(bytes));
  }

  @Override
  public long getAddress() {
    return pointer.address();
  }

  /**
   * Returns a view. JavaCPP treats an empty pointer as one of unknown size and would return a
   * buffer of 1 byte.
   */
  @Override
  public ByteBuffer view(long offset, int bytes) {
    return bytes == 0 ? ByteBuffer.allocateDirect(0) : at(offset).capacity(bytes).asByteBuffer();
  }

  /** Returns a new pointer to a range, without a deallocator. */
  BytePointer at(long offset) {
    return pointer.getPointer(offset);
  }
}
