package org.vramkit.javacpp;

import java.nio.ByteBuffer;
import org.bytedeco.javacpp.Loader;
import org.bytedeco.javacpp.Pointer;

/**
 * Native memory for a structure of the driver, of zeros. A buffer of the JVM's, which lives as long
 * as the pointers made of it, for the reason that {@link Cell} tells.
 */
final class Structure {
  private Structure() {}

  /** Memory for one structure of a type, whose constructor takes it. */
  static Pointer of(Class<? extends Pointer> type) {
    return new Pointer(ByteBuffer.allocateDirect(Loader.sizeof(type)));
  }
}
