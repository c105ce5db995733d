package org.vramkit.javacpp;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.javacpp.SizeTPointer;

/**
 * Eight bytes of native memory that the driver reads or fills during a call. A buffer of the JVM's:
 * what JavaCPP allocates itself fails with an {@link OutOfMemoryError} while the process as a whole
 * has more memory resident than {@link Pointer#maxPhysicalBytes}, four heaps by default.
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
