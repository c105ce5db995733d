package org.vramkit.jcuda;

import jcuda.Pointer;

/** A host pointer that a call fills and whose address can be read. */
final class HostPointer extends Pointer {

  long address() {
    return getNativePointer();
  }
}
