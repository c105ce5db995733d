package org.vramkit.javacpp;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.javacpp.SizeTPointer;

/**
 * Eight bytes of native memory for input or output of a driver call. A direct buffer, because
 * JavaCPP's own allocation fails with an {@link OutOfMemoryError} while the resident memory of the
 * process exceeds {@link Pointer#maxPhysicalBytes}, by default four times the maximum Java heap.
 */
final class Cell {
  private final ByteBuffer bytes =
      ByteBuffer.allocateDirect(Long.BYTES).order(ByteOrder.nativeOrder());

  Pointer asPointer() {
    return new Pointer(bytes);
  }

  SizeTPointer asSize() {
    return new SizeTPointer(asPointer());
  }

  long get() {
    return bytes.getLong(0);
  }

  void put(long value) {
    bytes.putLong(0, value);
  }
}
