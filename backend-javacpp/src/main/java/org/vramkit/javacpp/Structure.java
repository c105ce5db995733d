package org.vramkit.javacpp;

import java.nio.ByteBuffer;
import org.bytedeco.javacpp.Loader;
import org.bytedeco.javacpp.Pointer;

/**
 * Zeroed native memory for a driver structure. It is a direct buffer for the reason given at {@link
 * Cell}, and lives as long as the pointers to it.
 */
final class Structure {
  private Structure() {}

  /** Creates a structure of a type from new memory. */
  static Pointer of(Class<? extends Pointer> type) {
    return new Pointer(ByteBuffer.allocateDirect(Loader.sizeof(type)));
  }
}
